internal import DescantCore
internal import Synchronization
internal import Dispatch

/// Rendering: runs on the rendering queue whenever something changed or a moment has come, and never waits.
extension DefaultPlaybackService {
    /// Why no more was rendered.
    private enum Halt {
        /// The output is full; it has room again at this moment of the clock.
        case full(until: UInt64)
        /// There is more to render, after others had their turn.
        case turnOver
        /// Nothing is decoded.
        case empty
    }

    /// Buffers that an output without a time of its own gets ahead.
    private static let buffersAhead: Int64 = 2
    /// Blocks that are rendered before commands get a turn.
    private static let blocksAtOnce = 16
    /// An output that plays nothing of its rest for so long, in nanoseconds, is not waited for.
    private static let drainLimit: UInt64 = 5_000_000_000

    /// A start that brings no sound for so long, in nanoseconds, counts as buffering.
    private static let startLimit: UInt64 = 500_000_000

    /// When a file that is being written is offered more, in nanoseconds.
    private static let retryTime: UInt64 = 2_000_000

    /// Lets the queue look at what is to be done.
    func wake() { renderingQueue.async { [weak self] in self?.pump() } }

    func wake(at moment: UInt64, _ control: inout PlaybackControl) {
        control.timer?.cancel()
        control.timer = Task { [weak self, clock] in
            guard (try? await clock.sleep(until: moment)) != nil else { return }
            self?.wake()
        }
    }

    private func pump() {
        openAgain()
        control.withLock { control in
            guard let track = control.track, control.isSounding, control.isStarted, !control.isHeld else { return }
            do {
                switch try render(&control, track) {
                case .full(let moment):
                    try watchProgress(&control)
                    wake(at: moment, &control)
                case .turnOver: wake()
                case .empty:
                    // One that was lost at the end of the sound and opened again has its rest given up.
                    if control.outage == nil { try watchProgress(&control) }
                    ranDry(&control, track)
                }
                fill(&control)
            } catch {
                lose(&control, CoreError(describing: error))
            }
        }
    }

    /// Offers blocks until the output has enough or nothing is left.
    private func render(_ control: inout PlaybackControl, _ track: LoadedTrack) throws -> Halt {
        let pacing = output.port.pacing
        control.window.drop(before: heardFrame(&control))
        noteProgress(&control)
        for _ in 0..<Self.blocksAtOnce {
            let available = control.window.end - control.accepted
            // A short block is only rendered where nothing follows.
            let mayBeShort = control.ending != nil || control.accepted < control.takenBackEnd
            guard available > 0, available >= track.blockFrames || mayBeShort else { return .empty }
            let frames = Int(min(available, Int64(track.blockFrames)))
            if pacing == .clock, let moment = timeOfNextBlock(&control, track, frames: frames) {
                return .full(until: moment)
            }
            let consumed = try offer(&control, frames: frames)
            control.accepted += Int64(consumed)
            control.awaitsFrames = false
            if consumed > 0, control.state == .buffering, control.outage == nil { set(.playing, &control) }
            if consumed < frames {
                let pause = pacing == .none ? Self.retryTime : nanoseconds(of: Int64(track.blockFrames), track) / 2
                return .full(until: clock.now() + pause)
            }
            if pacing != .none { control.window.drop(before: heardFrame(&control)) }
        }
        return .turnOver
    }

    private func offer(_ control: inout PlaybackControl, frames: Int) throws -> Int {
        let (accepted, channels) = (control.accepted, control.window.channels)
        let (window, volume) = (control.window, control.volume)
        return try control.block.withUnsafeMutableBufferPointer { block in
            guard let start = block.baseAddress else { return 0 }
            window.copy(from: accepted, frames: frames, to: start)
            volume.apply(to: start, from: accepted, frames: frames, channels: channels)
            return min(frames, max(0, try output.port.render(start, frameCount: frames)))
        }
    }

    /// When an output paced by the clock may have the next block; `nil` for now.
    private func timeOfNextBlock(
        _ control: inout PlaybackControl, _ track: LoadedTrack, frames: Int
    ) -> UInt64? {
        let now = clock.now()
        if let since = control.starvedSince {
            // While there was nothing to play, no time passed for the listener.
            control.anchor.time += now - min(now, since)
            control.starvedSince = nil
        }
        let ahead = control.accepted + Int64(frames) - control.anchor.frame
        let due = Double(ahead - Self.buffersAhead * Int64(track.blockFrames)) / track.info.sampleRate
        let moment = control.anchor.time + UInt64(max(0, due) * 1e9)
        return moment > now ? moment : nil
    }

    // MARK: Running dry

    private func ranDry(_ control: inout PlaybackControl, _ track: LoadedTrack) {
        let pending = control.accepted - heardFrame(&control)
        guard let ending = control.ending else {
            control.awaitsFrames = true
            if output.port.pacing == .clock, control.starvedSince == nil, pending == 0 {
                control.starvedSince = clock.now()
            }
            if let moment = momentToWaitFor(control, track, pending: pending) {
                wake(at: moment, &control)
            } else if output.port.pacing != .none {
                set(.buffering, &control)
            }
            return
        }
        if pending > 0, !isStuck(&control, pending) {
            set(.buffering, &control)
            let rest = min(nanoseconds(of: pending, track), nanoseconds(of: Int64(track.blockFrames), track))
            return wake(at: clock.now() + max(1_000_000, rest), &control)
        }
        finish(&control, ending)
    }

    /// The time after which a slow decoder is reported; `nil` when it was reported.
    private func momentToWaitFor(_ control: PlaybackControl, _ track: LoadedTrack, pending: Int64) -> UInt64? {
        if pending > 0 { return clock.now() + nanoseconds(of: pending, track) }
        guard control.accepted == control.sessionStart else { return nil }
        let limit = control.anchor.time + Self.startLimit
        return limit > clock.now() ? limit : nil
    }

    /// Whether the output has not played anything of its rest for long, and is not opened again for it.
    private func isStuck(_ control: inout PlaybackControl, _ pending: Int64) -> Bool {
        guard output.port.pacing != .output || control.outage != nil else { return false }
        let now = clock.now()
        guard let drain = control.drain, drain.pending == pending else {
            control.drain = (pending, now)
            return false
        }
        guard now - min(now, drain.since) > Self.drainLimit else { return false }
        logger.warn("the output did not play its last \(pending) frames within 5 s")
        return true
    }

    private func finish(_ control: inout PlaybackControl, _ ending: PlaybackControl.Ending) {
        switch ending {
        case .failed(let error):
            logger.error("\(error)")
            silence(&control)
            set(.error(error), &control)
        case .reached:
            // Drained: nothing is dropped by stopping.
            silence(&control)
            control.restart(at: control.range?.lowerBound ?? 0)
            set(control.range == nil ? .stopped : .paused, &control)
            fill(&control)
        }
    }

    private func nanoseconds(of frames: Int64, _ track: LoadedTrack) -> UInt64 {
        UInt64(Double(frames) / track.info.sampleRate * 1e9)
    }

    // MARK: The output

    /// The frame that is heard now, as far as the output tells; never goes back between two jumps.
    func heardFrame(_ control: inout PlaybackControl) -> Int64 {
        guard let track = control.track, control.isStarted, !control.isHeld else { return control.accepted }
        let frame: Int64
        if output.port.pacing == .clock {
            let now = control.starvedSince ?? clock.now()
            let passed = Double(now - min(now, control.anchor.time)) / 1e9
            frame = min(control.accepted, control.anchor.frame + Int64(passed * track.info.sampleRate))
        } else {
            frame = control.accepted - Int64(output.port.pendingFrames)
        }
        control.heard = min(control.accepted, max(control.heard, frame, control.sessionStart))
        return control.heard
    }

    /// Stops the sound so that it goes on later with the first frame that was not heard.
    func hold(_ control: inout PlaybackControl) {
        control.timer?.cancel()
        control.outage = nil
        guard control.isStarted, output.port.pacing != .none else { return }
        let before = heardFrame(&control)
        output.port.stop()
        // Only now the output knows what it dropped.
        let heard = output.port.pacing == .clock ? before : heardFrame(&control)
        control.isStarted = false
        control.place(at: heard)
    }

    /// Drops what the output holds; the next frame to be offered is the first one that was not heard.
    func flush(_ control: inout PlaybackControl) {
        let before = heardFrame(&control)
        output.port.flush()
        control.place(at: output.port.pacing == .clock ? before : heardFrame(&control))
    }

    /// The output, when it can take back what it has not played while it plays on.
    private var rewindable: (any RewindableOutput)? {
        guard let output = output.port as? any RewindableOutput, output.rewinds, output.pacing == .output else {
            return nil
        }
        return output
    }

    /// Brings the sound to the volume that was set, at the first frame that can still be replaced.
    func applyVolume(_ control: inout PlaybackControl) {
        renderAgain(&control)
        control.applyVolume()
    }

    /// Takes back what the output has not played, where that leaves no gap, and renders it again.
    func renderAgain(_ control: inout PlaybackControl) {
        guard control.isSounding, control.isStarted, !control.isHeld, let output = rewindable else { return }
        // The fade of a jump that is still to be heard is left whole.
        guard control.accepted - Int64(output.pendingFrames) >= control.sessionStart else { return }
        takeBack(from: output, &control)
        wake()
    }

    /// Offers again what the output has not begun to play; a running ramp of the volume goes on.
    private func takeBack(from output: any RewindableOutput, _ control: inout PlaybackControl) {
        let heard = heardFrame(&control)
        control.takenBackEnd = max(control.takenBackEnd, control.accepted)
        control.accepted = max(heard, control.accepted - Int64(max(0, output.takeBack())))
        control.drain = nil
    }

    /// The length of each fade of a jump, in seconds.
    private static let jumpFade = 0.005

    /// Ends the sound for a jump: fades it out where it can be taken back, and drops it elsewhere.
    func leave(_ control: inout PlaybackControl, _ track: LoadedTrack) {
        guard let output = rewindable else { return flush(&control) }
        takeBack(from: output, &control)
        let fade = Int64(Self.jumpFade * track.info.sampleRate)
        let frames = Int(min(fade, Int64(track.blockFrames), control.window.end - control.accepted))
        guard frames > 0 else { return }
        control.volume.move(to: 0, from: control.accepted, over: Int64(frames))
        // An output that has failed says so when it goes on.
        control.accepted += Int64((try? offer(&control, frames: frames)) ?? 0)
    }

    /// Goes on behind ``leave(_:_:)`` at the frame that is offered next, at the volume that was set.
    func enter(_ control: inout PlaybackControl, _ track: LoadedTrack) {
        let isFaded = control.isSounding && control.isStarted && rewindable != nil
        control.rise(over: isFaded ? Int64(Self.jumpFade * track.info.sampleRate) : 0)
    }

    /// Stops the output.
    func silence(_ control: inout PlaybackControl) {
        control.timer?.cancel()
        control.outage = nil
        if control.isStarted { output.port.stop() }
        control.isStarted = false
        control.isHeld = false
    }

    func set(_ state: PlaybackState, _ control: inout PlaybackControl) {
        guard control.state != state else { return }
        control.state = state
        states.post(state)
        sessionMember?.follow(state)
    }
}

/// The gain of every frame: a level, or a short ramp that ends in it, so that no step is heard.
struct VolumeLine {
    /// The level that holds in the end.
    private(set) var level: Float = 1
    private var from: Float = 1
    private var start: Int64 = 0
    private var length: Int64 = 0

    /// Goes to a level.
    ///
    /// - Parameters:
    ///   - level: Where to.
    ///   - frame: The first frame of the ramp.
    ///   - frames: How long the ramp is; 0 for at once.
    mutating func move(to level: Float, from frame: Int64, over frames: Int64) {
        from = gain(at: frame)
        start = frame
        length = frames
        self.level = level
    }

    /// Rises from silence to the level.
    mutating func rise(to level: Float, from frame: Int64, over frames: Int64) {
        from = 0
        start = frame
        length = frames
        self.level = level
    }

    /// Forgets a ramp: playing goes on somewhere else.
    mutating func settle() { length = 0 }

    func gain(at frame: Int64) -> Float {
        let passed = frame - start
        guard length > 0, passed < length else { return level }
        return passed <= 0 ? from : from + (level - from) * Float(passed) / Float(length)
    }

    /// Applies the gains of frames in place; samples at full level are not touched.
    func apply(to samples: UnsafeMutablePointer<Float>, from frame: Int64, frames: Int, channels: Int) {
        let isRamping = length > 0 && frame < start + length
        if !isRamping, level == 1 { return }
        for index in 0..<frames {
            let gain = isRamping ? gain(at: frame + Int64(index)) : level
            for channel in 0..<channels { samples[index * channels + channel] *= gain }
        }
    }
}
