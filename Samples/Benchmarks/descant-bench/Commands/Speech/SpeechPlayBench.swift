internal import Descant
internal import DescantTesting

/// From the play call to the first audible sample, through the whole player: the engine of a synthesizer, a mixer, and an output
/// in real time.
struct SpeechPlayBench {
    let engine: String

    func run(_ runs: Int) async throws {
        let start = BenchOutput.now
        let blocks = BlockLog()
        let environment = AudioEnvironment.shared
        let mixer = try environment.makeEngine(
            output: .callback(.realTime) { blocks.take($0) }, format: BenchOutput.format)
        let speech = SpeechEngine(
            identifier: engine, synthesizer: try environment.plugins.makeSpeechSynthesizer(engine), mixer: mixer)
        var times: [Double] = []
        for number in 0...runs {
            try await speech.loadContent(.text(SpeechTexts.sentence(number), language: nil))
            blocks.keepSamples(true)
            let called = BenchOutput.now
            try await speech.play()
            let sounded = try await blocks.firstAudible()
            if number == 0 {
                BenchReport.line(("play_cold_ms", BenchReport.milliseconds(sounded - start)))
            } else {
                times.append(Double(sounded - called) / 1e6)
            }
            await speech.stop()
            // The blocks before the change have passed.
            try await Task.sleep(for: .milliseconds(100))
        }
        let statistics = Statistics(times)
        BenchReport.line(
            ("play_ms", BenchReport.decimals(statistics.median ?? .nan, 3)),
            ("play_slowest_ms", BenchReport.decimals(statistics.maximum ?? .nan, 3)))
        await speech.shutdown()
        await mixer.shutdown()
    }
}

/// Another engine is chosen in the middle of a sentence: the time from the call to the first sample of the other voice at
/// the output.
struct SpeechSwitchBench {
    /// Both are used in turn.
    let engines: [String]

    func run(_ runs: Int) async throws {
        let blocks = BlockLog()
        let log = RecordingLogger()
        let controller = AudioEnvironment(logger: log).makeController(
            output: .callback(.realTime) { blocks.take($0) }, selection: MemoryEngineSelection(engines[0]))
        var times: [Double] = []
        for number in 0..<2 * max(1, runs) {
            let (first, second) = (engines[number % 2], engines[1 - number % 2])
            try await controller.selectEngine(first)
            try await controller.loadContent(.text(SpeechTexts.sentence(number), language: nil))
            blocks.keepSamples(true)
            try await controller.play()
            _ = try await blocks.firstAudible()
            try await Task.sleep(for: .milliseconds(500))
            log.clear()
            let called = BenchOutput.now
            try await controller.selectEngine(second)
            // Reported when the block with its first sample has been sent.
            await log.wait(for: "speech.didStart")
            let started = BenchOutput.now
            // The first round loads each engine.
            if number >= 2, second == engines[1] { times.append(Double(started - called) / 1e6) }
            if number == 0 { BenchReport.line(("switch_cold_ms", BenchReport.milliseconds(started - called))) }
            await controller.stop()
        }
        BenchReport.line(("switch_ms", BenchReport.decimals(Statistics(times).median ?? .nan, 3)))
    }
}

/// The texts for Descant and its peers. Models of tones know only the words of their lexicon.
enum SpeechTexts {
    private static let words = ["quick", "brown", "lazy", "quiet", "good", "long"]

    /// Ten words.
    static let sentence = "The quick brown fox jumps over one lazy brown dog."
    /// The number of sentences on a page.
    static let pageLength = 30
    /// Three hundred words.
    static let page = Array(repeating: sentence, count: pageLength).joined(separator: " ")

    /// Ten words, different for every number, so that no cache has them.
    static func sentence(_ number: Int) -> String {
        let (first, second) = (words[number % words.count], words[number / words.count % words.count])
        return "The \(first) brown fox jumps over one \(second) brown dog."
    }
}
