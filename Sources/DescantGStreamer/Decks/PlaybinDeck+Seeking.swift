internal import DescantCore
internal import DescantMixing
internal import Dispatch
internal import Synchronization

// MARK: Seeking

extension PlaybinDeck {
    func seek(toFrame frame: Int64) { enter(at: frame, rate: nil) }

    func setRate(_ rate: Double, fromFrame frame: Int64) { enter(at: frame, rate: rate) }

    private func enter(at frame: Int64, rate: Double?) {
        // Behind an estimate the length bounds nothing, and the clock adds the decoder's lead to the target.
        let frame = FrameCount(clamping: max(0, frame)).value
        let mustSchedule = reading.withLock { reading in
            guard !reading.isClosed else { return false }
            reading.generation &+= 1
            reading.requestedRate = rate ?? reading.requestedRate
            let target = SeekTarget(frame: frame, rate: reading.requestedRate)
            reading.isAwaitingRate = false
            // Behind an estimate there may be sound. The end that callers know is the estimate itself.
            if let length = reading.length.frames,
                reading.length.isEstimated ? target.frame == length : target.frame >= length
            {
                park(&reading, at: length, rate: target.rate)
                return false
            }
            reading.end = nil
            reading.mayPlayUp = true
            reading.isRefilling = false
            reading.requestedSeek = target
            defer { reading.isSeeking = true }
            return !reading.isSeeking
        }
        if mustSchedule { pipeline.queue.async { [weak self] in self?.carryOutSeeks() } }
        pipeline.monitor.readiness.raise()
    }

    /// Repeats the last seek.
    func seekAgain(_ reading: inout Reading) {
        reading.requestedSeek = SeekTarget(frame: reading.clock.target, rate: reading.clock.rate)
        reading.isSeeking = true
        pipeline.queue.async { [weak self] in self?.carryOutSeeks() }
    }

    /// Seeks for a speed that was asked for while the pipeline began anew: what has arrived now is at normal speed.
    func moveToRequestedRate(_ reading: inout Reading) {
        reading.isAwaitingRate = false
        reading.requestedSeek = SeekTarget(frame: reading.clock.position, rate: reading.requestedRate)
        reading.isSeeking = true
        pipeline.queue.async { [weak self] in self?.carryOutSeeks() }
    }

    /// Completes a seek to the end at once; the pipeline's samples are dropped by the next seek.
    private func park(_ reading: inout Reading, at length: Int64, rate: Double) {
        reading.requestedSeek = nil
        reading.cursor.drop()
        reading.clock.restart(at: length, rate: rate)
        reading.end = .ended
    }

    func carryOutSeeks() {
        while let (target, generation) = nextSeek() {
            // appsink cannot begin again with a sample that is held; a source that cannot be moved plays on behind what was read of it.
            let isFixed = pipeline.isFixed
            let (time, reconnects) = reading.withLock { reading in
                if !isFixed { reading.cursor.drop() }
                return (
                    reading.clock.seekTime(for: target.frame, rate: target.rate), reading.reconnection.limit > 0
                )
            }
            let isLost = isCutOff && reconnects
            // There is nothing to move yet: what comes is skipped up to the target.
            let isStarting = !isLost && pipeline.isStarting
            let isMoved = !isLost && !isStarting && pipeline.seek(toNanoseconds: time, rate: target.rate)
            // A connection that was lost meanwhile makes the source refuse the seek.
            if !isMoved, !isStarting, isCutOff, reconnects {
                if connectAgain(for: target, generation: generation) { return }
                continue
            }
            let isPlayingUp = reading.withLock { reading in
                guard reading.generation == generation else { return false }
                reading.isSeeking = false
                if isMoved {
                    reading.cursor.drop()
                    reading.clock.restart(at: target.frame, rate: target.rate)
                } else if isStarting {
                    reading.clock.restart(at: target.frame, rate: 1, fromStart: true)
                    reading.isAwaitingRate = target.rate != 1
                } else if !isFixed, reading.length.frames != nil {
                    playUp(&reading, to: target.frame)
                }
                return reading.isSeeking
            }
            pipeline.monitor.readiness.raise()
            if isPlayingUp { return }
        }
    }

    private func nextSeek() -> (SeekTarget, UInt64)? {
        reading.withLock { reading in
            guard let target = reading.requestedSeek, !reading.isClosed else {
                reading.isSeeking = false
                return nil
            }
            reading.requestedSeek = nil
            return (target, reading.generation)
        }
    }
}

// MARK: Sources that cannot be moved

extension PlaybinDeck {
    /// The remaining sound from which on a seek must deliver a sample when the length is exact, in seconds: GStreamer
    /// 1.22 sometimes ends an ALAC stream without a sample after a seek to shortly before its end.
    private static let minimumRemainder = 0.05

    /// Whether the last seek has failed silently. That happens with servers that announce ranges which they do not support, and with
    /// every pipeline that had an error before.
    func seekBroughtNothing(_ reading: borrowing Reading, isDrained: Bool) -> Bool {
        guard !reading.clock.hasArrived else { return false }
        if pipeline.monitor.failure != nil { return true }
        guard isDrained, let length = reading.length.frames else { return false }
        let tolerated = reading.length.isExact ? Self.minimumRemainder : Self.toleratedShortfall
        return Double(length - reading.clock.target) > tolerated * Double(sampleRate)
    }

    /// Decodes from the beginning up to the target. At normal speed: another one would need a seek.
    func playUp(_ reading: inout Reading, to target: Int64) {
        reading.mayPlayUp = false
        reading.isAwaitingRate = false
        reading.isSeeking = true
        let generation = reading.generation
        pipeline.queue.async { [weak self] in self?.restart(at: target, generation: generation) }
    }

    private func restart(at target: Int64, generation: UInt64) {
        guard reading.withLock({ $0.generation == generation && !$0.isClosed }) else { return carryOutSeeks() }
        pipeline.restart()
        reading.withLock { reading in
            guard reading.generation == generation else { return }
            reading.clock.restart(at: target, rate: 1, fromStart: true)
            reading.isSeeking = false
        }
        pipeline.monitor.readiness.raise()
        carryOutSeeks()
    }
}
