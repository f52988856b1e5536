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

    /// The same at the rate of a decoder that puts out a whole multiple of it; `nil` for any other rate.
    func scaled(to rate: Int) -> ExactLength? {
        guard sampleRate > 0, rate % sampleRate == 0 else { return nil }
        let factor = Int64(rate / sampleRate)
        return ExactLength(
            frames: frames.map { $0 * factor }, sampleRate: rate, lead: lead * factor, preroll: preroll * factor,
            patches: patches)
    }
}
