internal import DescantCore
internal import Dispatch
internal import Synchronization

/// Decoding ahead: runs on the decoding queue until enough is decoded.
extension DefaultPlaybackService {
    /// What to decode next.
    private struct Job {
        var track: LoadedTrack
        var generation: UInt64
        var frame: Int64
        var frames: Int
    }

    /// Sees to it that decoding goes on, unless enough is decoded.
    func fill(_ control: inout PlaybackControl) {
        guard let track = control.track, !control.isFilling, control.ending == nil, !control.isHeld,
            control.window.end - control.accepted < track.decodedAhead / 2
        else { return }
        control.isFilling = true
        decodingQueue.async { [weak self] in
            while self?.decodeBlock() == true {}
        }
    }

    /// - Returns: Whether more is to be decoded.
    private func decodeBlock() -> Bool {
        guard let job = control.withLock({ nextJob(&$0) }) else { return false }
        do {
            // A stream that was closed meanwhile gives nothing; the next job is another track's, or there is none.
            try decoding.read(
                job.track.handle, at: job.frame, frames: job.frames, channels: job.track.info.channels
            ) { [weak self] samples in
                guard let self else { return }
                control.withLock { self.receive(samples, for: job, &$0) }
            }
            return true
        } catch {
            control.withLock { control in
                guard control.generation == job.generation else { return }
                control.ending = .failed(CoreError(describing: error))
                wake()
            }
            return true
        }
    }

    private func nextJob(_ control: inout PlaybackControl) -> Job? {
        let room = (control.range?.upperBound ?? Int64.max) - control.window.end
        if room <= 0, control.ending == nil {
            control.ending = .reached
            wake()
        }
        guard let track = control.track, control.ending == nil, !control.isHeld,
            control.window.end - control.accepted < track.decodedAhead
        else {
            control.isFilling = false
            return nil
        }
        return Job(
            track: track, generation: control.generation, frame: control.window.end,
            frames: Int(min(room, Int64(track.blockFrames))))
    }

    private func receive(_ samples: UnsafeBufferPointer<Float>, for job: Job, _ control: inout PlaybackControl) {
        guard control.generation == job.generation, control.window.end == job.frame else { return }
        // A read that hung, and was given up, gives nothing any more.
        if case .failed = control.ending { return }
        // The range may have been set while these frames were decoded.
        let room = max(0, (control.range?.upperBound ?? Int64.max) - job.frame)
        let channels = job.track.info.channels
        let frames = Int(min(Int64(samples.count / channels), room))
        let samples = UnsafeBufferPointer(rebasing: samples.prefix(frames * channels))
        if samples.isEmpty {
            control.ending = .reached
        } else {
            control.window.append(samples)
        }
        if control.awaitsFrames || control.ending != nil { wake() }
    }
}
