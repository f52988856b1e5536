internal import Descant
internal import Foundation

/// Latency, speed and cost of speech.
struct SpeechBench {
    private let kind: String
    private let engines: [String]
    private let runs: Int

    init(_ arguments: inout Arguments) throws {
        kind = try arguments.word()
        engines = try kind == "switch" ? [arguments.word(), arguments.word()] : [arguments.word()]
        runs = max(1, try arguments.integer())
    }

    func run() async throws {
        switch kind {
        case "first", "isolated": try await first()
        case "length": try await lengths()
        case "play": try await SpeechPlayBench(engine: engines[0]).run(runs)
        case "switch": try await SpeechSwitchBench(engines: engines).run(runs)
        default: throw BenchError.failed("speech: use first, isolated, length, play or switch")
        }
    }

    /// The synthesizer alone, until its first sample that is not silent, in this process or in a helper.
    private func first() async throws {
        let start = ContinuousClock.now
        let synthesizer = try make()
        BenchReport.line(("cold_ms", text(try await firstSound(synthesizer, since: start))))
        var times: [Double] = []
        for _ in 0..<runs { times.append(try await firstSound(synthesizer, since: .now)) }
        BenchReport.line(("warm_ms", text(Statistics(times).median ?? .nan)))
        await synthesizer.shutdown()
    }

    /// The synthesizer alone, with a sentence, and with a page that is requested sentence by sentence as players do.
    private func lengths() async throws {
        let synthesizer = try make()
        _ = try await spoken(synthesizer, sentences: 1)
        var factors: [Double] = []
        for _ in 0..<runs { factors.append(try await factor(synthesizer, sentences: 1)) }
        BenchReport.line(("rtf_sentence", text(Statistics(factors).median ?? .nan)))
        let cost = ProcessCost.now
        let begun = ContinuousClock.now
        let seconds = try await spoken(synthesizer, sentences: SpeechTexts.pageLength)
        let time = (ContinuousClock.now - begun) / .seconds(1)
        let memory = ProcessCost.memoryWithHelpers
        // The kernel reports a helper's time after it has ended.
        await synthesizer.shutdown()
        let used = ProcessCost.now
        BenchReport.line(
            ("rtf_page", text(time / seconds)), ("cpu_page", text((used.seconds - cost.seconds) / seconds)),
            ("memory_mb", text(memory)))
    }

    private func make() throws -> any SpeechSynthesizer {
        let registry = PluginRegistry(isolation: kind == "isolated" ? .everything : .asManifest)
        registry.scan()
        return try registry.makeSpeechSynthesizer(engines[0])
    }

    private func factor(_ synthesizer: any SpeechSynthesizer, sentences: Int) async throws -> Double {
        let begun = ContinuousClock.now
        let seconds = try await spoken(synthesizer, sentences: sentences)
        return (ContinuousClock.now - begun) / .seconds(1) / seconds
    }

    /// - Returns: Seconds of speech.
    private func spoken(_ synthesizer: any SpeechSynthesizer, sentences: Int) async throws -> Double {
        var seconds = 0.0
        for _ in 0..<sentences {
            for try await chunk in synthesizer.synthesize(SpeechRequest(text: SpeechTexts.sentence)) {
                seconds += Double(chunk.samples.count) / Double(chunk.sampleRate)
            }
        }
        guard seconds > 0 else { throw BenchError.failed("\(engines[0]) made no sound") }
        return seconds
    }

    private func firstSound(_ synthesizer: any SpeechSynthesizer, since start: ContinuousClock.Instant) async throws
        -> Double
    {
        for try await chunk in synthesizer.synthesize(SpeechRequest(text: SpeechTexts.sentence))
        where chunk.samples.contains(where: { abs($0) > BlockLog.audible }) {
            return (ContinuousClock.now - start) / .milliseconds(1)
        }
        throw BenchError.failed("\(engines[0]) made no sound")
    }

    private func text(_ value: Double) -> String { BenchReport.decimals(value, 6) }
}
