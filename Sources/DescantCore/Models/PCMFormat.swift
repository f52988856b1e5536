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

    /// The nearest whole number of frames in a span of time.
    ///
    /// - Parameter seconds: A finite span of time, in seconds.
    public func frames(in seconds: Double) -> Int64 { Int64((seconds * Double(sampleRate)).rounded()) }

    /// How long a number of frames lasts, in seconds.
    ///
    /// - Parameter frames: A count of frames.
    public func seconds(of frames: Int64) -> Double { Double(frames) / Double(sampleRate) }
}
