/// A piece of synthesised sound.
public struct SpeechChunk: Sendable, Hashable {
    /// Mono samples, nominally in -1…1.
    public var samples: [Float]
    /// Frames per second, in Hz; the same in every chunk of a request.
    public var sampleRate: Int
    /// The marks whose frames lie in this chunk, in the order of their frames.
    public var marks: [SpeechMark]
    /// What was found up to here that could not be spoken; each warning is in one chunk only, which may have no samples.
    public var warnings: [SpeechWarning]

    /// Creates a chunk.
    ///
    /// - Parameters:
    ///   - samples: Mono samples.
    ///   - sampleRate: Frames per second, in Hz.
    ///   - marks: The marks whose frames lie in this chunk.
    ///   - warnings: What could not be spoken.
    public init(samples: [Float], sampleRate: Int, marks: [SpeechMark] = [], warnings: [SpeechWarning] = []) {
        self.samples = samples
        self.sampleRate = sampleRate
        self.marks = marks
        self.warnings = warnings
    }
}
