internal import DescantCore

/// Finds silence and sound in a rendering.
public enum SilenceAnalysis {
    /// The longest run of frames whose samples are all silent.
    ///
    /// - Parameters:
    ///   - buffer: Where to look.
    ///   - threshold: The maximum magnitude that counts as silence, linear.
    /// - Returns: The run's frames; empty at 0 when there is none.
    public static func longest(in buffer: SampleBuffer, threshold: Float = 1e-5) -> Range<Int> {
        let channels = buffer.format.channels
        return buffer.samples.withUnsafeBufferPointer { samples in
            var longest = 0..<0
            var start = 0
            for frame in 0..<samples.count / channels {
                for channel in 0..<channels where samples[frame * channels + channel].magnitude > threshold {
                    start = frame + 1
                }
                if frame + 1 - start > longest.count { longest = start..<frame + 1 }
            }
            return longest
        }
    }

    /// The frames from the first to the last that sound.
    ///
    /// - Parameters:
    ///   - buffer: Where to look.
    ///   - threshold: The maximum magnitude that counts as silence, linear.
    /// - Returns: The sounding frames; empty at 0 when none sounds.
    public static func sounding(in buffer: SampleBuffer, threshold: Float = 1e-5) -> Range<Int> {
        let channels = buffer.format.channels
        guard let first = buffer.samples.firstIndex(where: { $0.magnitude > threshold }),
            let last = buffer.samples.lastIndex(where: { $0.magnitude > threshold })
        else { return 0..<0 }
        return first / channels..<last / channels + 1
    }
}
