public import DescantCore

/// What every speech synthesizer must hold; see `SpeechSynthesizer` for the rules in full.
///
/// ```swift
/// @Test(arguments: SpeechSynthesizerContract.Rule.allCases)
/// func keeps(rule: SpeechSynthesizerContract.Rule) async {
///     #expect(await contract.check(rule) == [])
/// }
/// ```
public struct SpeechSynthesizerContract: Sendable {
    /// A part of the contract.
    public enum Rule: String, Sendable, Hashable, CaseIterable {
        /// What the synthesizer says about itself makes sense.
        case description
        /// Every chunk has the same rate, finite samples and its own marks; there is sound.
        case sound
        /// Marks name real words of the text in UTF-8, in their order.
        case marks
        /// Marks lie where their words begin to sound.
        case timing
        /// Twice the rate takes half the time; rates out of range are brought into it.
        case rate
        /// Unknown voices and languages are refused.
        case refusals
        /// Text without words gives nothing, and no error.
        case nothingToSpeak
        /// A request that nobody listens to leaves no trace in the next one.
        case cancelling
        /// Requests at the same time do not disturb each other.
        case concurrency
        /// Text that nobody would speak is survived, and the words behind it are spoken.
        case hostileText
        /// After a shutdown nothing is spoken, and nothing hangs.
        case shutdown
    }

    /// At least five words that the default voice speaks; with a comma behind each, silence of 0.04 s or more sets them apart.
    public var words: [String]
    /// The language of the words, as a BCP 47 tag.
    public var language: String
    /// How many signs the longest hostile texts have; 1 MB is 1,000,000.
    public var hostileLength: Int
    /// How long any one request may take before it counts as hanging, in seconds.
    public var limit: Double
    let makeSynthesizer: @Sendable () throws -> any SpeechSynthesizer

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - words: At least five words that the default voice speaks.
    ///   - language: The language of the words, as a BCP 47 tag.
    ///   - hostileLength: How many signs the longest hostile texts have.
    ///   - limit: How long any one request may take, in seconds.
    ///   - makeSynthesizer: Makes a synthesizer.
    public init(
        words: [String] = ["Apple", "river", "stone", "garden", "paper", "window", "theory"], language: String = "en",
        hostileLength: Int = 1_000, limit: Double = 120,
        makeSynthesizer: @escaping @Sendable () throws -> any SpeechSynthesizer
    ) {
        self.words = words
        self.language = language
        self.hostileLength = hostileLength
        self.limit = limit
        self.makeSynthesizer = makeSynthesizer
    }

    /// Checks one part.
    ///
    /// - Parameter rule: The part.
    /// - Returns: What was broken; empty for a synthesizer that keeps it.
    public func check(_ rule: Rule) async -> [ContractFinding] {
        var collector = FindingCollector()
        do {
            let bench = SpeechBench(try makeSynthesizer(), contract: self)
            try await bench.check(rule, &collector)
            await bench.finish(&collector)
        } catch {
            collector.expect(false, "\(rule.rawValue): the synthesizer can be used", seen: "\(error)")
        }
        return collector.findings
    }

    /// Checks every part, one after the other.
    ///
    /// - Returns: What was broken; empty for a synthesizer that keeps the contract.
    public func findings() async -> [ContractFinding] {
        var findings: [ContractFinding] = []
        for rule in Rule.allCases { findings += await check(rule) }
        return findings
    }
}
