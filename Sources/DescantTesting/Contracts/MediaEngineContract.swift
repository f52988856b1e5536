public import DescantCore

/// Checks the rules that every engine must keep; see `MediaEngine` for the rules in full. Sound is played in real time.
///
/// <!-- snippet: Samples/Examples/Drone/Tests/DroneTests/DroneTests.swift -->
/// ```swift
/// import Descant
/// import DescantTesting
/// import Foundation
/// import Testing
///
/// @Test(arguments: MediaEngineContract.Rule.allCases)
/// func droneKeepsTheEngineContract(rule: MediaEngineContract.Rule) async throws {
///     let plugin = try BuiltPlugin("Drone")
///     func content(_ text: String) throws -> MediaContent { .url(try #require(URL(string: text))) }
///     let contract = MediaEngineContract(
///         content: try content("drone:110?seconds=8"), short: try content("drone:110?seconds=1"),
///         refused: [.init(try content("drone:-3"), named: "drone:-3")]
///     ) {
///         let host = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
///         return try plugin.registry.makeEngine("drone", mixer: try host.makeEngine(output: .null))
///     }
///     #expect(await contract.check(rule) == [])
/// }
/// ```
public struct MediaEngineContract: Sendable {
    /// A part of the contract.
    public enum Rule: String, Sendable, Hashable, CaseIterable {
        /// A new engine has a name, can play something, and is idle.
        case description
        /// Without content, starts and seeks are refused, and pauses and stops harmless.
        case nothingLoaded
        /// Loaded content waits at its beginning.
        case loading
        /// Content that plays moves on, and a second start changes nothing.
        case playing
        /// A pause freezes the position, and the next start continues there.
        case pausing
        /// Seeks reach their position, clamped to the content; positions of an unknown kind are refused.
        case seeking
        /// Rates outside the range are refused.
        case rate
        /// A stop returns to the beginning, and the content can be played again.
        case stopping
        /// Content that was heard to its end is finished, and can be played again.
        case end
        /// Content that cannot be opened is refused with an error that names it, and other content plays afterwards.
        case refusals
        /// New content stops the one before, and a stop ends an opening.
        case replacing
        /// Calls of many tasks at once leave an engine that works.
        case concurrency
        /// An engine that nobody holds is released, also while it plays.
        case release
    }

    /// Content that an engine must refuse.
    public struct Refusal: Sendable, Hashable {
        /// The content.
        public var content: MediaContent
        /// The text that the error must contain, such as the file's name.
        public var name: String

        /// Describes content that an engine must refuse.
        ///
        /// - Parameters:
        ///   - content: The content.
        ///   - name: The text that the error must contain.
        public init(_ content: MediaContent, named name: String) {
            self.content = content
            self.name = name
        }
    }

    /// Content of 5 s or more.
    public var content: MediaContent
    /// Content of 0.5…2 s.
    public var short: MediaContent
    /// Content that cannot be opened.
    public var refused: [Refusal]
    /// The time after which a call or an awaited state counts as missing, in seconds.
    public var limit: Double
    private let makeEngine: @Sendable () async throws -> any MediaEngine

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - content: Content of 5 s or more.
    ///   - short: Content of 0.5…2 s.
    ///   - refused: Content that cannot be opened.
    ///   - limit: The time after which a call or an awaited state counts as missing, in seconds.
    ///   - makeEngine: Makes an engine, which plays to an output without a device or to a server of the test's own.
    public init(
        content: MediaContent, short: MediaContent, refused: [Refusal] = [], limit: Double = 60,
        makeEngine: @escaping @Sendable () async throws -> any MediaEngine
    ) {
        self.content = content
        self.short = short
        self.refused = refused
        self.limit = limit
        self.makeEngine = makeEngine
    }

    /// Checks one rule on a new engine.
    ///
    /// - Parameter rule: The rule.
    /// - Returns: The broken rules; empty for an engine that keeps it.
    public func check(_ rule: Rule) async -> [ContractFinding] {
        do {
            return try await withTimeout(4 * limit) {
                if rule == .release { return try await checkRelease() }
                var collector = FindingCollector()
                let bench = MediaEngineBench(engine: try await makeEngine(), contract: self)
                do {
                    try await bench.check(rule, &collector)
                } catch {
                    collector.expect(false, "\(rule.rawValue): no call fails unexpectedly", seen: "\(error)")
                }
                await bench.engine.stop()
                return collector.findings
            }
        } catch {
            return [ContractFinding(rule: "\(rule.rawValue): the engine can be made and answers", seen: "\(error)")]
        }
    }

    /// Checks every rule, one after the other.
    ///
    /// - Returns: The broken rules; empty for an engine that keeps the contract.
    public func findings() async -> [ContractFinding] {
        var findings: [ContractFinding] = []
        for rule in Rule.allCases { findings += await check(rule) }
        return findings
    }

    /// Not on a bench, which would hold the engine.
    private func checkRelease() async throws -> [ContractFinding] {
        var collector = FindingCollector()
        weak var last: (any MediaEngine)?
        do {
            let engine = try await makeEngine()
            last = engine
            try await engine.loadContent(content)
            try await engine.play()
        }
        let isReleased = await MediaEngineBench.poll(limit) { last == nil }
        collector.expect(
            isReleased, "an engine that nobody holds is released while it plays", seen: "it is still there")
        return collector.findings
    }
}
