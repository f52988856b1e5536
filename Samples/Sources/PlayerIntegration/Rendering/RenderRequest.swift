public import Descant
public import Foundation

/// The inputs and options of a render.
public struct RenderRequest: Sendable {
    /// The tracks, in order.
    public var inputs: [URL]
    /// The file to write; it is replaced.
    public var output: URL
    /// Whether an output that is a link stays one, and the file that it names is replaced.
    public var followsLinks = true
    /// How samples are written.
    public var encoding: SampleEncoding = .f32
    /// Whether samples that have to be rounded to 16 or 24 bits get dither.
    public var isDithered = true
    /// Whether the file is FLAC, with 16 bits for ``SampleEncoding/s16`` and 24 otherwise.
    public var writesFLAC = false
    /// How the playlist sounds.
    public var options: PlayOptions
    /// Where the first track begins, in seconds.
    public var start = 0.0
    /// The output's frames per second, in Hz; `nil` takes the first track's.
    public var sampleRate: Int?
    /// The output's channels; `nil` gives mono when every track is mono, otherwise stereo.
    public var channels: Int?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - inputs: The tracks, in order.
    ///   - output: The file to write.
    ///   - options: How the playlist sounds.
    public init(inputs: [URL], output: URL, options: PlayOptions = PlayOptions()) {
        self.inputs = inputs
        self.output = output
        self.options = options
    }

    /// How the engine writes into a file.
    func destination(_ file: URL) -> OutputDestination {
        writesFLAC
            ? .flac(file, bits: encoding == .s16 ? 16 : 24, dither: isDithered)
            : .wav(file, encoding, dither: isDithered)
    }

    /// Whether the mix can exceed full scale in an integer format: by several sounds, the equaliser, effects or ReplayGain.
    /// Without the limiter every sample is written as it was decoded.
    var needsLimiter: Bool {
        let sums = options.configuration.crossfadeDuration > 0 || !options.filesBeside.isEmpty
        return (encoding != .f32 || writesFLAC)
            && (sums || options.equalizer.isEnabled || !options.inserts.isEmpty || options.replayGain.mode != .off)
    }
}

/// Why nothing was rendered.
public enum RenderFailure: Error, Sendable {
    /// The request is invalid; nothing was changed.
    case usage(String)
    /// None of the inputs can be opened; nothing was written.
    case noInput(RenderReport)
    /// Rendering began and could not be completed.
    case incomplete(String)
}
