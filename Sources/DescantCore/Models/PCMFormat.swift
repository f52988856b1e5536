/// The shape of decoded audio inside Descant: 32-bit floating-point samples, interleaved, nominally in -1…1.
public struct PCMFormat: Sendable, Hashable, Codable {
    /// Frames per second, in Hz; greater than 0.
    public var sampleRate: Int
    /// Samples per frame; 1…8.
    ///
    /// Order: FL FR FC LFE then side or back pairs, as in WAVE files.
    public var channels: Int

    /// Creates a format.
    ///
    /// Values are kept as given; whoever consumes the format refuses what it cannot do.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames per second, in Hz.
    ///   - channels: Samples per frame.
    public init(sampleRate: Int, channels: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// The sample rates that are played, in Hz: 1…1,536,000. A header or a plugin that names another is refused.
    package static let supportedSampleRates = 1...1_536_000

    /// The nearest whole number of frames in a span of time.
    ///
    /// - Parameter seconds: A span of time, in seconds.
    /// - Returns: At most 2^40 frames (265 days at 48 kHz) in either direction, also for an infinite span; 0 for what is not a
    ///   number.
    public func frames(in seconds: Double) -> Int64 {
        FrameCount(seconds: seconds, sampleRate: Double(sampleRate)).value
    }

    /// How long a number of frames lasts, in seconds.
    ///
    /// - Parameter frames: A count of frames.
    public func seconds(of frames: Int64) -> Double { Double(frames) / Double(sampleRate) }
}
