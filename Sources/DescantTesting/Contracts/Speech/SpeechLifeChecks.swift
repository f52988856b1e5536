internal import DescantCore

/// Cancelled requests, concurrent requests and the shutdown.
struct SpeechLifeChecks {
    let bench: SynthesizerBench

    init(_ bench: SynthesizerBench) { self.bench = bench }

    func cancelling(_ collector: inout FindingCollector) async throws {
        let long = SpeechRequest(text: bench.longText)
        let plain = SpeechRequest(text: bench.spacedText)
        let expected = await bench.speak(plain, "a sentence", &collector)
        let synthesizer = bench.synthesizer
        for turn in 0..<20 {
            do {
                try await withTimeout(bench.contract.limit) {
                    // The stream is dropped unread, after one chunk, and by a cancelled task.
                    switch turn % 3 {
                    case 0: _ = synthesizer.synthesize(long)
                    case 1: for try await _ in synthesizer.synthesize(long) { break }
                    default:
                        let reading = Task { for try await _ in synthesizer.synthesize(long) {} }
                        reading.cancel()
                        _ = await reading.result
                    }
                }
            } catch {
                collector.expect(false, "a request can be cancelled", seen: "\(error)")
            }
        }
        let after = await bench.speak(plain, "a sentence after cancelled ones", &collector)
        bench.expectSame(after, expected, "cancelled requests do not change the next one", &collector)
    }

    func concurrency(_ collector: inout FindingCollector) async throws {
        let words = bench.contract.words
        // A synthesizer may declare any number; a few requests show whether they disturb each other.
        let texts = (0..<min(max(1, bench.capabilities.concurrency), 8) + 2).map { index in
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
        try await checkStalledReader(expected: alone[0], text: texts[0], &collector)
    }

    /// A reader that stops reading delays its own request and no other.
    private func checkStalledReader(
        expected: SpeechRendering, text: String, _ collector: inout FindingCollector
    ) async throws {
        // The limit of each of the three waits.
        let limit = 3 * bench.contract.limit
        let (other, isWhole) = try await withTimeout(limit) { [bench] () -> (SpeechRendering, Bool) in
            var slow = bench.synthesizer.synthesize(SpeechRequest(text: bench.longText)).makeAsyncIterator()
            let first = try await slow.next()
            let other = await bench.render(SpeechRequest(text: text))
            let second = try await slow.next()
            return (other, first != nil && second != nil)
        }
        bench.expectSame(other, expected, "a slow reader does not delay another request", &collector)
        collector.expect(isWhole, "a slow reader receives all chunks", seen: "an early end")
    }

    func shutdown(_ collector: inout FindingCollector) async throws {
        let synthesizer = bench.synthesizer
        let plain = SpeechRequest(text: bench.spacedText)
        _ = await bench.speak(plain, "a sentence", &collector)
        let long = SpeechRequest(text: bench.longText)
        do {
            let (chunks, error) = try await withTimeout(bench.contract.limit) { () -> (Int, (any Error)?) in
                var running = synthesizer.synthesize(long).makeAsyncIterator()
                _ = try await running.next()
                await synthesizer.shutdown()
                await synthesizer.shutdown()
                var chunks = 0
                do {
                    while try await running.next() != nil, chunks < 1_000 { chunks += 1 }
                } catch {
                    return (chunks, error)
                }
                return (chunks, nil)
            }
            if let error { collector.expect(error is CoreError, "errors are a CoreError", seen: "\(error)") }
            collector.expect(chunks < 1_000, "a shutdown ends a running request", seen: "\(chunks) chunks more")
        } catch let error as TimeoutError {
            collector.expect(false, "a shutdown ends a running request", seen: "\(error)")
        }
        let late = await bench.render(plain)
        collector.expectError(["invalidState"], "after a shutdown nothing is spoken") {
            if let error = late.error { throw error }
            return "\(late.frameCount) frames"
        }
    }
}
