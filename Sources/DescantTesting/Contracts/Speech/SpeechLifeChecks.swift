internal import DescantCore

/// Cancelling, several requests at once, the end.
struct SpeechLifeChecks {
    let bench: SpeechBench

    init(_ bench: SpeechBench) { self.bench = bench }

    func cancelling(_ collector: inout FindingCollector) async throws {
        let long = SpeechRequest(text: bench.longText)
        let plain = SpeechRequest(text: bench.spacedText)
        let expected = await bench.speak(plain, "a sentence", &collector)
        let synthesizer = bench.synthesizer
        for turn in 0..<20 {
            do {
                try await withTimeout(bench.contract.limit) {
                    // Dropped unheard, after a chunk, and by the task's end.
                    switch turn % 3 {
                    case 0: _ = synthesizer.synthesize(long)
                    case 1: for try await _ in synthesizer.synthesize(long) { break }
                    default:
                        let listening = Task { for try await _ in synthesizer.synthesize(long) {} }
                        listening.cancel()
                        _ = await listening.result
                    }
                }
            } catch {
                collector.expect(false, "a request can be cancelled", seen: "\(error)")
            }
        }
        let after = await bench.speak(plain, "a sentence after cancelled ones", &collector)
        bench.expectSame(after, expected, "cancelled requests leave nothing behind", &collector)
    }

    func concurrency(_ collector: inout FindingCollector) async throws {
        let words = bench.contract.words
        let texts = (0..<bench.capabilities.concurrency + 2).map { index in
            words.indices.map { words[($0 + index) % words.count] }.joined(separator: ", ") + "."
        }
        var alone: [SpeechRendering] = []
        for text in texts { alone.append(await bench.speak(SpeechRequest(text: text), "a sentence", &collector)) }
        let together = await withTaskGroup(of: (Int, SpeechRendering).self) { group in
            for (index, text) in texts.enumerated() {
                group.addTask { [bench] in (index, await bench.render(SpeechRequest(text: text))) }
            }
            return await group.reduce(into: [Int: SpeechRendering]()) { $0[$1.0] = $1.1 }
        }
        for (index, expected) in alone.enumerated() {
            guard let rendering = together[index] else { continue }
            bench.expectSame(rendering, expected, "requests at the same time do not disturb each other", &collector)
        }
        guard bench.capabilities.concurrency > 1 else { return }
        try await stalledListener(expected: alone[0], text: texts[0], &collector)
    }

    /// A listener who stops for a while holds its own request up, and no other.
    private func stalledListener(
        expected: SpeechRendering, text: String, _ collector: inout FindingCollector
    ) async throws {
        var slow = bench.synthesizer.synthesize(SpeechRequest(text: bench.longText)).makeAsyncIterator()
        let first = try await slow.next()
        let other = await bench.render(SpeechRequest(text: text))
        bench.expectSame(other, expected, "a slow listener does not hold up another request", &collector)
        let second = try await slow.next()
        collector.expect(first != nil && second != nil, "a slow listener gets all of its sound", seen: "an early end")
    }

    func shutdown(_ collector: inout FindingCollector) async throws {
        let synthesizer = bench.synthesizer
        let plain = SpeechRequest(text: bench.spacedText)
        _ = await bench.speak(plain, "a sentence", &collector)
        var running = synthesizer.synthesize(SpeechRequest(text: bench.longText)).makeAsyncIterator()
        _ = try await running.next()
        try await withTimeout(bench.contract.limit) {
            await synthesizer.shutdown()
            await synthesizer.shutdown()
        }
        var chunks = 0
        do {
            while try await running.next() != nil, chunks < 1_000 { chunks += 1 }
        } catch {
            collector.expect(error is CoreError, "errors are a CoreError", seen: "\(error)")
        }
        collector.expect(chunks < 1_000, "a shutdown ends what is being made", seen: "\(chunks) chunks more")
        let late = await bench.render(plain)
        collector.expectError(["invalidState"], "after a shutdown nothing is spoken") {
            if let error = late.error { throw error }
            return "\(late.frameCount) frames"
        }
    }
}
