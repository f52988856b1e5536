internal import DescantCore
internal import Synchronization

/// Starts of the output, and the loss of a sound device: playing stands still at the heard frame, and goes on when the device can be
/// opened again.
extension DefaultPlaybackService {
    /// How long the device may stay away, in nanoseconds.
    private static let outageLimit: UInt64 = 30_000_000_000
    /// The pause before it is opened again, in nanoseconds.
    private static let retryPause: UInt64 = 500_000_000
    /// A device that plays nothing for so long counts as lost, in nanoseconds: a sound server that hangs reports no error. Longer before the
    /// first frame is heard, as receivers on the network may hold seconds of sound.
    private static let longestStall: UInt64 = 2_000_000_000
    private static let longestStart: UInt64 = 10_000_000_000

    /// Runs code that configures the output, when nothing starts it.
    func withClosedOutput<Value>(_ body: (inout PlaybackControl) throws -> Value) rethrows -> Value {
        try opening.withLock { _ in try control.withLock { try body(&$0) } }
    }

    /// Starts the output, unless it is, and goes on at the next frame. A start may take long, and is made without the lock of `control`, so
    /// that other calls do not wait; a command or a pause of the session that comes meanwhile has the output closed again.
    ///
    /// - Parameter isWanted: Called first, under the lock; nothing happens when it returns `false`.
    func start(if isWanted: (inout PlaybackControl) throws(CoreError) -> Bool) throws(CoreError) {
        try opening.withLock { _ throws(CoreError) in
            let isPending = try control.withLock { control throws(CoreError) -> Bool in
                guard try isWanted(&control) else { return false }
                guard control.track != nil else { throw CoreError.invalidState("nothing is loaded") }
                control.isOpening = !control.isStarted
                control.pendingStart = control.isStarted ? nil : control.userCommandCount
                if control.isStarted { goOn(&control) }
                return control.isOpening
            }
            guard isPending else { return }
            let result = openOutput()
            try control.withLock { control throws(CoreError) in
                let isStillWanted = control.isStarting
                control.pendingStart = nil
                endOpening(&control)
                try result.get()
                if isStillWanted { goOn(&control) } else { output.port.stop() }
            }
        }
    }

    private func openOutput() -> Result<Void, CoreError> {
        Result { try output.port.start() }.mapError { CoreError(describing: $0) }
    }

    private func endOpening(_ control: inout PlaybackControl) {
        control.isOpening = false
        if let equalizer = output.port as? any EQPort { for setting in control.laterSettings { setting(equalizer) } }
        control.laterSettings = []
    }

    private func goOn(_ control: inout PlaybackControl) {
        control.outage = nil
        begin(&control)
        set(.playing, &control)
        fill(&control)
        wake()
    }

    /// Goes on at the next frame on an output that was started.
    private func begin(_ control: inout PlaybackControl) {
        control.isStarted = true
        control.place(at: control.accepted)
        control.anchor = (clock.now(), control.accepted)
        control.starvedSince = nil
    }

    /// Reacts to an error of the output.
    func lose(_ control: inout PlaybackControl, _ error: CoreError) {
        guard case .ioError = error, output.port.pacing == .output else { return fail(&control, error) }
        // One that fails again before it has played has not been back.
        let earlier = control.outage
        hold(&control)
        control.outage = earlier
        waitForOutput(&control, error)
    }

    /// Stands still until the output can be opened again, or has stayed away for too long.
    func waitForOutput(_ control: inout PlaybackControl, _ error: CoreError) {
        if control.outage == nil { logger.warn("the output is lost: \(error)") }
        var outage = control.outage ?? PlaybackControl.Outage(error: error, since: clock.now())
        outage.latest = error
        control.outage = outage
        // Rendering does not wait for the decoder any more, which would have the output opened with each block.
        control.awaitsFrames = false
        let now = clock.now()
        guard now - min(now, outage.since) < Self.outageLimit else {
            return fail(&control, outage.ending(after: Self.outageLimit))
        }
        set(.buffering, &control)
        wake(at: now + Self.retryPause, &control)
    }

    private func fail(_ control: inout PlaybackControl, _ error: CoreError) {
        logger.error("\(error)")
        silence(&control)
        set(.error(error), &control)
    }

    /// Opens the lost output, which may take long: without the lock of `control`, so that other calls do not wait.
    func openAgain() {
        guard control.withLock({ $0.outage != nil && !$0.isStarted }) else { return }
        opening.withLock { _ in
            guard control.withLock({ prepareOpening(&$0) }) else { return }
            let result = openOutput()
            control.withLock { finishOpening(&$0, result) }
        }
    }

    /// - Returns: Whether the output is to be opened now.
    private func prepareOpening(_ control: inout PlaybackControl) -> Bool {
        guard control.outage != nil, control.isSounding, !control.isStarted, !control.isHeld else { return false }
        control.isOpening = true
        return true
    }

    private func finishOpening(_ control: inout PlaybackControl, _ result: Result<Void, CoreError>) {
        endOpening(&control)
        switch result {
        case .success:
            // It may have been paused or stopped meanwhile.
            guard control.outage != nil else { return output.port.stop() }
            begin(&control)
            fill(&control)
        case .failure(let error):
            if control.outage != nil { waitForOutput(&control, error) }
        }
    }

    /// Ends an outage when something is heard again.
    func noteProgress(_ control: inout PlaybackControl) {
        guard control.outage != nil, control.heard > control.sessionStart else { return }
        control.outage = nil
        logger.info("the output is back")
        set(.playing, &control)
    }

    /// - Throws: `CoreError.ioError` when the output has held frames for long without playing any.
    func watchProgress(_ control: inout PlaybackControl) throws(CoreError) {
        guard output.port.pacing == .output else { return }
        let (heard, now) = (heardFrame(&control), clock.now())
        // One that has nothing to play, because the decoder is slow, counts from its next frame.
        guard heard < control.accepted else { return control.stall = nil }
        guard let stall = control.stall, stall.heard == heard else { return control.stall = (heard, now) }
        let limit = heard > control.sessionStart ? Self.longestStall : Self.longestStart
        guard now - min(now, stall.since) < limit else {
            throw CoreError.ioError("the output plays nothing any more")
        }
    }
}
