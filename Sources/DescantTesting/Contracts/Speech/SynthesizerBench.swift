internal import DescantCore

/// One synthesizer under test, with the functions that the checks share.
struct SynthesizerBench: Sendable {
    let synthesizer: any SpeechSynthesizer
    let contract: SpeechSynthesizerContract

    init(_ synthesizer: any SpeechSynthesizer, contract: SpeechSynthesizerContract) {
        self.synthesizer = synthesizer
        self.contract = contract
    }

    var capabilities: SpeechCapabilities { synthesizer.capabilities }

    /// The words with silence between them.
    var spacedText: String { contract.words.joined(separator: ", ") + "." }

    /// A text of several minutes.
    var longText: String {
        Array(repeating: contract.words.joined(separator: " ") + ".", count: 200).joined(separator: " ")
    }

    func check(_ rule: SpeechSynthesizerContract.Rule, _ collector: inout FindingCollector) async throws {
        switch rule {
        case .description: try await SpeechDescriptionChecks(self).description(&collector)
        case .refusals: try await SpeechDescriptionChecks(self).refusals(&collector)
        case .sound: await SpeechSoundChecks(self).sound(&collector)
        case .rate: await SpeechSoundChecks(self).rate(&collector)
        case .nothingToSpeak: await SpeechSoundChecks(self).nothing(&collector)
        case .marks: await SpeechMarkChecks(self).marks(&collector)
        case .timing: await SpeechMarkChecks(self).timing(&collector)
        case .cancelling: try await SpeechLifeChecks(self).cancelling(&collector)
        case .concurrency: try await SpeechLifeChecks(self).concurrency(&collector)
        case .shutdown: try await SpeechLifeChecks(self).shutdown(&collector)
        case .hostileText: await SpeechHostileChecks(self).hostile(&collector)
        }
    }

    /// Shuts the synthesizer down; a shutdown that does not end is a finding.
    func finish(_ collector: inout FindingCollector) async {
        do {
            try await withTimeout(contract.limit) { [synthesizer] in await synthesizer.shutdown() }
        } catch {
            collector.expect(false, "a shutdown ends", seen: "\(error)")
        }
    }

    /// The voices; a list that does not come throws.
    func voices() async throws -> [SpeechVoice] {
        try await withTimeout(contract.limit) { [synthesizer] in try await synthesizer.voices() }
    }

    /// Speaks a request to its end.
    ///
    /// - Parameters:
    ///   - request: What to speak.
    ///   - keepingSamples: Whether the samples are kept, and not only their number and peak.
    func render(_ request: SpeechRequest, keepingSamples: Bool = true) async -> SpeechRendering {
        do {
            return try await withTimeout(contract.limit) { [synthesizer] in
                var rendering = SpeechRendering()
                do {
                    for try await chunk in synthesizer.synthesize(request) {
                        rendering.take(chunk, keepingSamples: keepingSamples)
                    }
                } catch {
                    rendering.error = error
                }
                return rendering
            }
        } catch {
            var rendering = SpeechRendering()
            rendering.error = error
            return rendering
        }
    }

    /// Speaks a request that must succeed. Findings about its chunks and marks go to the collector.
    func speak(
        _ request: SpeechRequest, _ what: String, _ collector: inout FindingCollector, keepingSamples: Bool = true
    ) async -> SpeechRendering {
        let rendering = await render(request, keepingSamples: keepingSamples)
        collector.expect(rendering.error == nil, "\(what) is spoken", seen: "\(rendering.error.map { "\($0)" } ?? "")")
        for fault in rendering.faults { collector.expect(false, "\(what): \(fault.rule)", seen: fault.seen) }
        SpeechMarkChecks.judge(rendering, text: request.text, what, timing: capabilities.wordTiming, &collector)
        return rendering
    }

    /// Expects two renderings of one request to have the same length, within the few samples by which engines may differ.
    func expectSame(
        _ rendering: SpeechRendering, _ expected: SpeechRendering, _ rule: String, _ collector: inout FindingCollector
    ) {
        let difference = abs(rendering.frameCount - expected.frameCount)
        collector.expect(
            difference * 50 <= expected.frameCount, rule,
            seen: "\(rendering.frameCount) frames instead of \(expected.frameCount), \(rendering.error as Any)")
        collector.expectEqual(rendering.words.map(\.utf8Range), expected.words.map(\.utf8Range), rule)
    }
}
