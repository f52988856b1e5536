/// What a decoder knows of an opened stream.
public struct StreamInfo: Sendable, Hashable, Codable {
    /// Length in seconds; 0 or more, infinite for an endless stream.
    public var duration: Double
    /// Frames per second, in Hz.
    public var sampleRate: Double
    /// Samples per frame.
    public var channels: Int
    /// Bits per sample in the source; 32 for lossy codecs, which decode to floating point.
    public var bitDepth: Int

    /// Creates a description; call ``validate()`` before trusting one that came from outside.
    ///
    /// - Parameters:
    ///   - duration: Length in seconds.
    ///   - sampleRate: Frames per second, in Hz.
    ///   - channels: Samples per frame.
    ///   - bitDepth: Bits per sample in the source.
    public init(duration: Double, sampleRate: Double, channels: Int, bitDepth: Int) {
        self.duration = duration
        self.sampleRate = sampleRate
        self.channels = channels
        self.bitDepth = bitDepth
    }

    /// Checks every field against its range: duration ≥ 0, sample rate 1…1,536,000 Hz, channels 1…8, bit depth 1…64
    /// (1 for DSD).
    ///
    /// - Throws: ``CoreError/invalidArgument(_:)`` naming the first field that is wrong.
    public func validate() throws {
        guard duration >= 0 else {
            throw CoreError.invalidArgument("duration \(duration) s is negative or not a number")
        }
        let rates = PCMFormat.supportedSampleRates
        guard sampleRate >= Double(rates.lowerBound), sampleRate <= Double(rates.upperBound) else {
            throw CoreError.invalidArgument(
                "sample rate \(sampleRate) Hz; \(rates.lowerBound) to \(rates.upperBound) are possible")
        }
        guard (1...8).contains(channels) else {
            throw CoreError.invalidArgument("\(channels) channels; 1 to 8 are possible")
        }
        guard (1...64).contains(bitDepth) else {
            throw CoreError.invalidArgument("bit depth \(bitDepth); 1 to 64 are possible")
        }
    }
}
