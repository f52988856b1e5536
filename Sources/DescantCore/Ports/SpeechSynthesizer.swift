/// A named voice of a synthesizer.
public struct SpeechVoice: Sendable, Hashable, Codable {
    /// The identifier that ``SpeechRequest/voice`` takes.
    public var identifier: String
    /// A name for people.
    public var name: String
    /// BCP 47 language tags that the voice speaks, best first.
    public var languages: [String]

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - identifier: The identifier that a request takes.
    ///   - name: A name for people.
    ///   - languages: BCP 47 language tags, best first.
    public init(identifier: String, name: String, languages: [String]) {
        self.identifier = identifier
        self.name = name
        self.languages = languages
    }
}

/// What a synthesizer can do.
public struct SpeechCapabilities: Sendable, Hashable, Codable {
    /// How well word marks match the sound.
    public enum WordTiming: String, Sendable, Hashable, Codable {
        /// No word marks at all.
        case none
        /// Marks are computed from the text.
        case estimated
        /// Marks come from the synthesis itself.
        case exact
    }

    /// How soon a cancelled request stops costing time.
    public enum CancelGranularity: String, Sendable, Hashable, Codable {
        /// Within a few milliseconds.
        case immediate
        /// At the end of the sentence that is being made.
        case sentence
    }

    /// How well word marks match the sound.
    public var wordTiming: WordTiming
    /// How soon a cancelled request stops costing time.
    public var cancelGranularity: CancelGranularity
    /// How many requests may run at the same time; 1 or more.
    public var concurrency: Int
    /// Speaking rates relative to the voice's normal one.
    public var rateRange: ClosedRange<Double>

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - wordTiming: How well word marks match the sound.
    ///   - cancelGranularity: How soon a cancelled request stops costing time.
    ///   - concurrency: How many requests may run at the same time.
    ///   - rateRange: Speaking rates relative to the voice's normal one.
    public init(
        wordTiming: WordTiming, cancelGranularity: CancelGranularity, concurrency: Int, rateRange: ClosedRange<Double>
    ) {
        self.wordTiming = wordTiming
        self.cancelGranularity = cancelGranularity
        self.concurrency = concurrency
        self.rateRange = rateRange
    }
}

/// One piece of text, usually a sentence, to be spoken.
public struct SpeechRequest: Sendable, Hashable {
    /// Plain text.
    public var text: String
    /// A ``SpeechVoice/identifier``; `nil` for the synthesizer's default.
    public var voice: String?
    /// A BCP 47 language tag; `nil` to follow the voice.
    public var language: String?
    /// Speaking rate relative to the voice's normal one; 1 is normal.
    public var rate: Double
    /// Pitch relative to the voice's normal one; 1 is normal.
    public var pitch: Double

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - text: Plain text.
    ///   - voice: A voice's identifier, or `nil` for the default.
    ///   - language: A BCP 47 language tag, or `nil` to follow the voice.
    ///   - rate: Speaking rate relative to the voice's normal one.
    ///   - pitch: Pitch relative to the voice's normal one.
    public init(text: String, voice: String? = nil, language: String? = nil, rate: Double = 1, pitch: Double = 1) {
        self.text = text
        self.voice = voice
        self.language = language
        self.rate = rate
        self.pitch = pitch
    }
}

/// A moment in synthesised sound that belongs to a place in the text.
public struct SpeechMark: Sendable, Hashable, Codable {
    /// What begins here.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A word.
        case word
        /// A sentence.
        case sentence
    }

    /// What begins here.
    public var kind: Kind
    /// The place in ``SpeechRequest/text``, in UTF-8 bytes.
    public var utf8Range: Range<Int>
    /// Frames from the beginning of the request's sound.
    public var frame: Int64
    /// Whether the frame was computed rather than measured.
    public var isEstimated: Bool

    /// Creates a mark.
    ///
    /// - Parameters:
    ///   - kind: What begins here.
    ///   - utf8Range: The place in the text, in UTF-8 bytes.
    ///   - frame: Frames from the beginning of the request's sound.
    ///   - isEstimated: Whether the frame was computed rather than measured.
    public init(kind: Kind, utf8Range: Range<Int>, frame: Int64, isEstimated: Bool) {
        self.kind = kind
        self.utf8Range = utf8Range
        self.frame = frame
        self.isEstimated = isEstimated
    }
}

/// A piece of synthesised sound.
public struct SpeechChunk: Sendable, Hashable {
    /// Mono samples, nominally in -1…1.
    public var samples: [Float]
    /// Frames per second, in Hz; the same in every chunk of a request.
    public var sampleRate: Int
    /// The marks whose frames lie in this chunk.
    public var marks: [SpeechMark]

    /// Creates a chunk.
    ///
    /// - Parameters:
    ///   - samples: Mono samples.
    ///   - sampleRate: Frames per second, in Hz.
    ///   - marks: The marks whose frames lie in this chunk.
    public init(samples: [Float], sampleRate: Int, marks: [SpeechMark] = []) {
        self.samples = samples
        self.sampleRate = sampleRate
        self.marks = marks
    }
}

/// Turns text into PCM with marks.
///
/// Queueing, segmentation, caching and playback are not its business: the speech
/// engine does those for every synthesizer.
public protocol SpeechSynthesizer: AnyObject, Sendable {
    /// What the synthesizer can do.
    var capabilities: SpeechCapabilities { get }

    /// The voices that can be used right now.
    ///
    /// - Throws: ``CoreError/ioError(underlying:)`` when the voices cannot be listed.
    func voices() async throws -> [SpeechVoice]

    /// Speaks a request.
    ///
    /// The stream ends when all sound was delivered and throws ``CoreError`` when the request cannot be spoken.
    /// Ending the iteration cancels the work.
    ///
    /// - Parameter request: What to speak and how.
    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error>
}
