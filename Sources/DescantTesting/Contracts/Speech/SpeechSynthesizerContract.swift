public import DescantCore

/// Checks the rules that every speech synthesizer must keep; see `SpeechSynthesizer` for the rules in full.
///
/// <!-- snippet: Samples/Examples/Morse/Tests/MorseTests/MorseTests.swift -->
/// ```swift
/// import Descant
/// import DescantTesting
/// import Testing
///
/// @Test(arguments: SpeechSynthesizerContract.Rule.allCases)
/// func morseKeepsTheSpeechContract(rule: SpeechSynthesizerContract.Rule) async throws {
///     let plugin = try BuiltPlugin("Morse")
///     let contract = SpeechSynthesizerContract(hostileLength: 200) {
///         try plugin.registry.makeSpeechSynthesizer("morse")
///     }
///     #expect(await contract.check(rule) == [])
/// }
/// ```
public struct SpeechSynthesizerContract: Sendable {
    /// A part of the contract.
    public enum Rule: String, Sendable, Hashable, CaseIterable {
        /// The capabilities and voices are valid.
        case description
        /// Chunks have the same sample rate, finite samples and the marks of their frames; speech is audible.
        case sound
        /// Marks have the UTF-8 ranges of whole words, in the order of the text.
        case marks
        /// Marks lie at the frames where their words begin.
        case timing
        /// Twice the rate takes half the time; rates out of range are clamped.
        case rate
        /// Unknown voices and languages are refused.
        case refusals
        /// Text without words makes no sound, and no error.
        case nothingToSpeak
        /// A cancelled request does not change the next one.
        case cancelling
        /// Requests at the same time do not disturb each other.
        case concurrency
        /// The word after hostile text is spoken; see ``HostileText``.
        case hostileText
        /// A shutdown ends a running request, and later ones fail; none hangs.
        case shutdown
    }

    /// At least five words that the default voice speaks. A comma after each must make 0.04 s or more of silence.
    public var words: [String]
    /// The language of the words, as a BCP 47 tag.
    public var language: String
    /// The length of the longest hostile texts, in characters; 1,000,000 is about 1 MB.
    public var hostileLength: Int
    /// The time after which a request or another call counts as hanging, in seconds.
    public var limit: Double
    let makeSynthesizer: @Sendable () throws -> any SpeechSynthesizer

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - words: At least five words that the default voice speaks.
    ///   - language: The language of the words, as a BCP 47 tag.
    ///   - hostileLength: The length of the longest hostile texts, in characters.
    ///   - limit: The time after which a request or another call counts as hanging, in seconds.
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

    /// Checks one rule.
    ///
    /// - Parameter rule: The rule.
    /// - Returns: The broken rules; empty for a synthesizer that keeps it.
    public func check(_ rule: Rule) async -> [ContractFinding] {
        var collector = FindingCollector()
        do {
            let bench = SynthesizerBench(try makeSynthesizer(), contract: self)
            try await bench.check(rule, &collector)
            await bench.finish(&collector)
        } catch {
            collector.expect(false, "\(rule.rawValue): the synthesizer can be used", seen: "\(error)")
        }
        return collector.findings
    }

    /// Checks every rule, one after the other.
    ///
    /// - Returns: The broken rules; empty for a synthesizer that keeps the contract.
    public func findings() async -> [ContractFinding] {
        var findings: [ContractFinding] = []
        for rule in Rule.allCases { findings += await check(rule) }
        return findings
    }
}
