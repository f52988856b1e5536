internal import DescantCore

/// Where the sound lies in what a file decodes to, as its headers tell it.
struct ExactLength: Sendable, Equatable {
    /// Frames of sound, without a codec's delay and padding; `nil` when the headers only tell where it begins.
    var frames: Int64?
    /// Frames per second, in Hz.
    var sampleRate: Int
    /// Frames that the decoder puts out before the sound: a codec's delay that GStreamer leaves in.
    var lead: Int64 = 0
    /// Frames before a place at which decoding must begin so that it is right there.
    var preroll: Int64 = 0
    /// What the pipeline must not see, so that it trims nothing by itself.
    var patches: [BytePatch] = []

    /// The most frames that one byte becomes: a block of FLAC holds up to 65,535 silent frames in 13 bytes.
    private static let maximumFramesPerByte: Int64 = 8_192
    /// The longest sound that is believed, in seconds: 31 years.
    private static let maximumSeconds: Int64 = 1_000_000_000

    /// Whether a file can hold what its headers announce.
    ///
    /// - Parameter size: The file's size in bytes.
    func isPossible(inBytes size: Int64) -> Bool {
        guard PCMFormat.supportedSampleRates.contains(sampleRate) else { return false }
        let (held, isOver) = size.multipliedReportingOverflow(by: Self.maximumFramesPerByte)
        let maximum = min(isOver ? .max : held, Self.maximumSeconds * Int64(sampleRate), FrameCount.limit)
        return (0...maximum).contains(lead) && (1...max(1, maximum)).contains(frames ?? 1)
    }

    /// The same at the rate of a decoder that puts out a whole multiple of it; `nil` for any other rate, and for more frames
    /// than can be counted.
    func scaled(to rate: Int) -> ExactLength? {
        guard sampleRate > 0, rate % sampleRate == 0 else { return nil }
        let factor = Int64(rate / sampleRate)
        guard [frames ?? 0, lead, preroll].allSatisfy({ abs($0) <= FrameCount.limit / factor }) else { return nil }
        return ExactLength(
            frames: frames.map { $0 * factor }, sampleRate: rate, lead: lead * factor, preroll: preroll * factor,
            patches: patches)
    }
}
