internal import Descant

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
                Report.line(("play_cold_ms", Report.milliseconds(sounded - start)))
            } else {
                times.append(Double(sounded - called) / 1e6)
            }
            await speech.stop()
            // What was on its way is past.
            try await Task.sleep(for: .milliseconds(100))
        }
        let statistics = Statistics(times)
        Report.line(
            ("play_ms", Report.decimals(statistics.median ?? .nan, 3)),
            ("play_slowest_ms", Report.decimals(statistics.maximum ?? .nan, 3)))
        await speech.shutdown()
        await mixer.shutdown()
    }
}
