import DescantTestSupport

extension MonitorRecording {
    /// Waits until a number of frames that are not silent is recorded, from now on. On a busy machine the sound may
    /// break off meanwhile.
    func wait(soundingFrames wanted: Int) async throws {
        var (sounding, seen) = (0, frameCount)
        while sounding < wanted {
            try await wait(frames: seen + 2_400)
            let present = frameCount
            let samples = newest(frames: present - seen)
            sounding += stride(from: 0, to: samples.count - 1, by: 2).count { samples[$0] != 0 || samples[$0 + 1] != 0 }
            seen = present
        }
    }
}
