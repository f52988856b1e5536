/// Turns text into PCM with marks.
///
/// Queueing, segmentation, caching and playback are not its business: the speech engine does those for every synthesizer.
/// It makes no more than ``SpeechCapabilities/concurrency`` requests at a time, each of about
/// ``SpeechCapabilities/longestRequest`` characters; a host that uses a synthesizer by itself may pass any text, so
/// every input has to be survived. A cancelled request does not count any more: a synthesizer that cannot end one at once
/// lets the next one wait, as ``SpeechWorkers`` does.
public protocol SpeechSynthesizer: AnyObject, Sendable {
    /// What the synthesizer can do.
    var capabilities: SpeechCapabilities { get }

    /// The voices that can be used right now, the default one first.
    ///
    /// - Throws: ``CoreError/ioError(underlying:)`` when the voices cannot be listed.
    func voices() async throws -> [SpeechVoice]

    /// Loads what a request needs (a library, a model, a process), so that its sound comes soon. Never required: a request
    /// does the same by itself. Harmless when repeated.
    ///
    /// - Parameter request: A request with the voice and language that will be used; its text does not matter.
    /// - Throws: ``CoreError/notFound(_:)`` for an unknown voice, ``CoreError/unsupported(_:)`` for a language that no voice
    ///   speaks, ``CoreError/ioError(underlying:)`` when something cannot be loaded.
    func prepare(_ request: SpeechRequest) async throws

    /// Speaks a request.
    ///
    /// The stream ends when all sound was delivered. Text without anything to speak gives no samples and is not an error; what
    /// is left out is told by ``SpeechChunk/warnings``. Rates and pitches outside the range are brought into it.
    /// Ending the iteration, or the task that iterates, cancels the work; nothing of it is heard of later.
    ///
    /// The stream throws ``CoreError/notFound(_:)`` for an unknown voice, ``CoreError/unsupported(_:)`` for a
    /// language that no voice speaks, ``CoreError/ioError(underlying:)`` when the synthesis broke down (the next
    /// request may succeed), ``CoreError/invalidState(_:)`` after ``shutdown()``.
    ///
    /// - Parameter request: What to speak and how.
    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error>

    /// Cancels what is being made, waits until no code of the synthesis runs any more, and releases models and processes.
    /// Harmless when repeated.
    func shutdown() async
}

extension SpeechSynthesizer {
    /// Loads nothing: the first request does.
    ///
    /// - Parameter request: A request with the voice and language that will be used.
    public func prepare(_ request: SpeechRequest) async throws {}

    /// Releases nothing.
    public func shutdown() async {}
}

/// One piece of text, usually a sentence, to be spoken.
public struct SpeechRequest: Sendable, Hashable {
    /// Plain text, without control characters when it comes from the speech engine.
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

    /// How a change of rate reaches what is spoken next.
    ///
    /// The sentence that sounds while the rate is changed is stretched by the speech engine in either case, so that the
    /// change is heard at once.
    public enum RateControl: String, Sendable, Hashable, Codable {
        /// The following sentences are requested at the new rate: the voice itself speaks faster or slower.
        case synthesis
        /// Every sentence is requested at the rate 1 and stretched: for synthesizers that are too slow to make anew what was
        /// made ahead, or whose rate cannot be chosen.
        case stretching
    }

    /// How well word marks match the sound.
    public var wordTiming: WordTiming
    /// How soon a cancelled request stops costing time.
    public var cancelGranularity: CancelGranularity
    /// How many requests may run at the same time; 1 or more.
    public var concurrency: Int
    /// Speaking rates relative to the voice's normal one.
    public var rateRange: ClosedRange<Double>
    /// Pitches relative to the voice's normal one.
    public var pitchRange: ClosedRange<Double>
    /// How a change of rate reaches what is spoken next.
    public var rateControl: RateControl
    /// BCP 47 language tags that can be spoken with one voice or another; empty when ``SpeechSynthesizer/voices()`` has to
    /// be asked.
    public var languages: [String]
    /// The longest text that one request should have, in characters; 1 or more. Longer sentences are divided where a
    /// speaker would draw breath.
    public var longestRequest: Int

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - wordTiming: How well word marks match the sound.
    ///   - cancelGranularity: How soon a cancelled request stops costing time.
    ///   - concurrency: How many requests may run at the same time.
    ///   - rateRange: Speaking rates relative to the voice's normal one.
    ///   - pitchRange: Pitches relative to the voice's normal one.
    ///   - rateControl: How a change of rate reaches what is spoken next.
    ///   - languages: BCP 47 language tags.
    ///   - longestRequest: The longest text that one request should have, in characters.
    public init(
        wordTiming: WordTiming, cancelGranularity: CancelGranularity, concurrency: Int, rateRange: ClosedRange<Double>,
        pitchRange: ClosedRange<Double> = 1...1, rateControl: RateControl = .synthesis, languages: [String] = [],
        longestRequest: Int = 400
    ) {
        self.wordTiming = wordTiming
        self.cancelGranularity = cancelGranularity
        self.concurrency = concurrency
        self.rateRange = rateRange
        self.pitchRange = pitchRange
        self.rateControl = rateControl
        self.languages = languages
        self.longestRequest = longestRequest
    }
}

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

/// Something in a request that could not be spoken as it was asked for.
public struct SpeechWarning: Sendable, Hashable, Codable {
    /// What is the matter.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A word that the voice does not know and leaves out.
        case unknownWord
        /// Characters that the voice cannot speak.
        case unsupportedCharacters
        /// The voice does not speak the language that was asked for.
        case unsupportedLanguage
        /// Text was left out for another reason.
        case skippedText
        /// A rate or pitch outside the synthesizer's range was brought into it.
        case adjustedParameter
    }

    /// What is the matter.
    public var kind: Kind
    /// The place in ``SpeechRequest/text``, in UTF-8 bytes.
    public var utf8Range: Range<Int>
    /// What happened and what can be done, for a person.
    public var message: String

    /// Creates a warning.
    ///
    /// - Parameters:
    ///   - kind: What is the matter.
    ///   - utf8Range: The place in the text, in UTF-8 bytes.
    ///   - message: What happened and what can be done, for a person.
    public init(kind: Kind, utf8Range: Range<Int>, message: String) {
        self.kind = kind
        self.utf8Range = utf8Range
        self.message = message
    }
}
