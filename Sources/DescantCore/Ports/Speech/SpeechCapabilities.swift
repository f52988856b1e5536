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
