internal import Descant
internal import Foundation

/// How soon and how fast a synthesizer speaks: the first sample that is heard of a sentence, and the time for a chapter.
struct SpeechBench {
    private let engine: String
    private let runs: Int

    init(_ arguments: inout Arguments) throws {
        engine = try arguments.word()
        runs = max(1, try arguments.integer())
    }

    /// Ten words, as peers get them too.
    static let sentence = "The quick brown fox jumps over the lazy dog today."
    /// A thousand words.
    static let chapter = Array(repeating: sentence, count: 100).joined(separator: " ")

    func run() async throws {
        let start = ContinuousClock.now
        let registry = PluginRegistry()
        registry.scan()
        let synthesizer = try registry.makeSpeechSynthesizer(engine)
        let cold = try await firstSound(synthesizer, since: start)
        print("cold_ms=\(cold)")
        var times: [Double] = []
        for _ in 0..<runs { times.append(try await firstSound(synthesizer, since: .now)) }
        print("warm_ms=\(Statistics(times).median ?? .nan)")
        let begun = ContinuousClock.now
        var seconds = 0.0
        // Sentence by sentence, as players ask for it.
        for _ in 0..<100 {
            for try await chunk in synthesizer.synthesize(SpeechRequest(text: Self.sentence)) {
                seconds += Double(chunk.samples.count) / Double(chunk.sampleRate)
            }
        }
        print("rtf=\((ContinuousClock.now - begun) / .seconds(1) / seconds)")
        await synthesizer.shutdown()
    }

    /// Milliseconds until a sample is there that is no silence.
    private func firstSound(_ synthesizer: any SpeechSynthesizer, since start: ContinuousClock.Instant) async throws
        -> Double
    {
        for try await chunk in synthesizer.synthesize(SpeechRequest(text: Self.sentence))
        where chunk.samples.contains(where: { abs($0) > 0.001 }) {
            return (ContinuousClock.now - start) / .milliseconds(1)
        }
        throw BenchError.failed("\(engine) made no sound")
    }
}
