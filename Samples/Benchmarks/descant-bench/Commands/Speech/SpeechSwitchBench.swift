internal import Descant
internal import DescantTesting

/// In the middle of a sentence another engine is chosen: from the call to the beginning of the other voice at the output.
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
            // Told when the block with its first sample has been given out.
            await log.wait(for: "speech.didStart")
            let started = BenchOutput.now
            // The first time each engine is loaded.
            if number >= 2, second == engines[1] { times.append(Double(started - called) / 1e6) }
            if number == 0 { Report.line(("switch_cold_ms", Report.milliseconds(started - called))) }
            await controller.stop()
        }
        Report.line(("switch_ms", Report.decimals(Statistics(times).median ?? .nan, 3)))
    }
}
