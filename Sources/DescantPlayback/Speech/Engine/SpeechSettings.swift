internal import DescantCore

/// How a text is spoken.
public struct SpeechSettings: Sendable, Hashable {
    /// A `SpeechVoice`'s identifier; `nil` for the synthesizer's default.
    public var voice: String?
    /// A BCP 47 language tag for texts that say none; `nil` to follow the voice.
    public var language: String?
    /// Speed relative to the voice's normal one, 0.25…4; 1 is normal. Pitch is kept.
    public var rate: Double
    /// Pitch relative to the voice's normal one; brought into the synthesizer's range.
    public var pitch: Double
    /// The silence between segments.
    public var pauses: SpeechPauses
    /// Length of the ramps of pause and resume in seconds, 0…60; 0 freezes between two frames.
    public var pauseRamp: Double
    /// How many segments are made ahead of the one that sounds; 0…16.
    public var prefetch: Int

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - voice: A voice's identifier.
    ///   - language: A BCP 47 language tag.
    ///   - rate: Speed relative to the voice's normal one, 0.25…4.
    ///   - pitch: Pitch relative to the voice's normal one.
    ///   - pauses: The silence between segments.
    ///   - pauseRamp: Length of the ramps of pause and resume in seconds.
    ///   - prefetch: How many segments are made ahead.
    public init(
        voice: String? = nil, language: String? = nil, rate: Double = 1, pitch: Double = 1,
        pauses: SpeechPauses = SpeechPauses(), pauseRamp: Double = 0.01, prefetch: Int = 3
    ) {
        self.voice = voice
        self.language = language
        self.rate = rate
        self.pitch = pitch
        self.pauses = pauses
        self.pauseRamp = pauseRamp
        self.prefetch = prefetch
    }

    /// The rates that can be set.
    public static let rateRange = 0.25...4.0

    /// The silence and the ramps that can be set, in seconds.
    private static let lengths = 0...60.0

    /// - Throws: ``CoreError/invalidArgument(_:)`` for what nothing can be spoken with.
    func check(for name: String) throws {
        guard Self.rateRange.contains(rate) else {
            throw CoreError.invalidArgument("\(name): a rate of \(rate); 0.25 to 4 are possible")
        }
        guard pitch.isFinite else { throw CoreError.invalidArgument("\(name): a pitch of \(pitch); 1 is normal") }
        for length in [pauses.clause, pauses.sentence, pauses.paragraph, pauseRamp]
        where !Self.lengths.contains(length) {
            throw CoreError.invalidArgument("\(name): a pause or ramp of \(length) s; 0 to 60 are possible")
        }
    }

    /// The nearest settings that are possible.
    var limited: SpeechSettings {
        func limited(_ length: Double) -> Double { length.isNaN ? 0 : length.clamped(to: Self.lengths) }
        var copy = self
        copy.rate = rate.isNaN ? 1 : rate.clamped(to: Self.rateRange)
        copy.pitch = pitch.isFinite ? pitch : 1
        copy.pauses = SpeechPauses(
            clause: limited(pauses.clause), sentence: limited(pauses.sentence), paragraph: limited(pauses.paragraph))
        copy.pauseRamp = limited(pauseRamp)
        return copy
    }
}

/// How the speech engines of a controller are made.
public struct SpeechConfiguration: Sendable, Hashable {
    /// The settings of every engine without settings of its own. The rate is the controller's, whatever the settings say.
    public var settings: SpeechSettings
    /// The settings of single engines by their identifiers: a voice belongs to one engine.
    public var engines: [String: SpeechSettings]
    /// Bytes of sound that each engine keeps for being heard again.
    public var cacheLimit: Int
    /// How long a synthesizer may send nothing before its request fails, in seconds; more than 0. Loading a voice counts.
    public var synthesisLimit: Double

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - settings: The settings of every engine without settings of its own.
    ///   - engines: The settings of single engines by their identifiers.
    ///   - cacheLimit: Bytes of sound that each engine keeps.
    ///   - synthesisLimit: How long a synthesizer may send nothing, in seconds.
    public init(
        settings: SpeechSettings = SpeechSettings(), engines: [String: SpeechSettings] = [:],
        cacheLimit: Int = 32 << 20, synthesisLimit: Double = 60
    ) {
        self.settings = settings
        self.engines = engines
        self.cacheLimit = cacheLimit
        self.synthesisLimit = synthesisLimit
    }
}

/// The silence between segments, in seconds at the rate 1. It becomes shorter as the speech becomes quicker.
public struct SpeechPauses: Sendable, Hashable, Codable {
    /// Between the parts of a sentence that is too long to be spoken at once; 0…60.
    public var clause: Double
    /// Between sentences; 0…60.
    public var sentence: Double
    /// Between paragraphs, items of lists and utterances; 0…60.
    public var paragraph: Double

    /// Creates pauses.
    ///
    /// - Parameters:
    ///   - clause: Between the parts of a sentence, in seconds.
    ///   - sentence: Between sentences, in seconds.
    ///   - paragraph: Between paragraphs, in seconds.
    public init(clause: Double = 0.1, sentence: Double = 0.3, paragraph: Double = 0.6) {
        self.clause = clause
        self.sentence = sentence
        self.paragraph = paragraph
    }

    func seconds(behind boundary: TextSegment.Boundary) -> Double {
        switch boundary {
        case .run: 0
        case .clause: max(0, clause)
        case .sentence: max(0, sentence)
        case .paragraph: max(0, paragraph)
        }
    }
}
