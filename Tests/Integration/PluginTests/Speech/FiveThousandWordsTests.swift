import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Synchronization
import Testing

/// A long text, read to its end.
@Suite(.timeLimit(.minutes(10))) struct FiveThousandWordsTests {
    /// Finds gaps in blocks of sound without storing them.
    private final class GapMeter: Sendable {
        struct State {
            var frames = 0
            var silence = 0
            var longest = 0
            var hasBegun = false
        }

        let state = Mutex(State())

        func take(_ samples: [Float]) {
            state.withLock { state in
                state.frames += samples.count
                for sample in samples {
                    if sample.magnitude > 0.001 {
                        if state.hasBegun { state.longest = max(state.longest, state.silence) }
                        state.hasBegun = true
                        state.silence = 0
                    } else {
                        state.silence += 1
                    }
                }
            }
        }
    }

    /// 500 sentences of ten words, in paragraphs of ten sentences.
    private static var text: String {
        var sentences: [String] = []
        for number in 0..<500 {
            let words = (0..<10).map { RealVoice.words[(number * 3 + $0 * (1 + number / 7)) % 7] }
            sentences.append(words.joined(separator: " ").capitalizedFirst + "." + (number % 10 == 9 ? "\n\n" : " "))
        }
        return sentences.joined()
    }

    @Test func longTextHasNoGapAndNoMemoryGrowth() async throws {
        let registry = try SpeechBundle("EspeakSpeech").registry
        let meter = GapMeter()
        let rate = 22_050
        let mixer = try AudioEnvironment(plugins: registry).makeEngine(
            output: .callback(.offline) { meter.take($0.samples) }, format: PCMFormat(sampleRate: rate, channels: 1))
        let settings = SpeechSettings(
            rate: 2.5, pauses: SpeechPauses(clause: 0.1, sentence: 0.3, paragraph: 0.6), pauseRamp: 0)
        let engine = SpeechEngine(
            identifier: "espeak", synthesizer: try registry.makeSpeechSynthesizer("espeak"), mixer: mixer,
            settings: settings, cacheLimit: 4 << 20)
        let events = EventRecorder(reading: engine.events.buffered(.bounded(100_000)))
        let text = Self.text
        try await engine.loadContent(.text(text, language: "en"))
        try await engine.play()
        var last = (position: 0.0, share: 0.0, characters: 0)
        var resident: [Int] = []
        while await engine.engineState != .finished {
            _ = try await mixer.advance(frames: Int64(5 * rate), untilIdle: await engine.layer)
            await Task.yield()
            let now = (
                position: await engine.currentTime, share: await engine.progress,
                characters: await engine.engineProgress.characterOffset ?? 0
            )
            // The share is a quotient of two rounded numbers.
            let goesOn = now.position >= last.position && now.share >= last.share - 1e-9
            #expect(goesOn && now.characters >= last.characters, "\(now) \(last)")
            last = now
            if now.share * 4 >= Double(resident.count + 1) { resident.append(try ProcessUsage().residentBytes) }
        }
        try await mixer.finishOutput()
        try await events.wait(for: { $0.kind == .finished })
        let told = events.all
        let words = told.compactMap { event -> (range: Range<Int>, frame: Int64)? in
            guard case .word(let range, _) = event.kind, let frame = event.frame else { return nil }
            return (range, frame)
        }
        // Compared here, because the words are too long for a failure message.
        let isComplete = words.map(\.range) == SpokenWords.ranges(in: text)
        #expect(isComplete, "every word has its mark")
        #expect(words.count == 5_000)
        #expect(zip(words, words.dropFirst()).allSatisfy { $0.frame < $1.frame })
        #expect(told.count { if case .sentence = $0.kind { true } else { false } } == 500)
        // Paragraphs' pauses at that speed, and the margins of silence that are left at a sentence's ends.
        let longest = Double(meter.state.withLock(\.longest)) / Double(rate)
        #expect((0.2...0.3).contains(longest), "the longest gap takes \(longest) s")
        #expect(last.share == 1)
        // Other tests in this process need any amount of memory, too; `make test-long` runs this one alone.
        let isAlone = ProcessInfo.processInfo.environment["DESCANT_LONG_SPEECH"] != nil
        let growth = (resident.last ?? 0) - (resident.first ?? 0)
        #expect(resident.count >= 3 && (!isAlone || growth < 16 << 20), "\(resident.map { $0 >> 20 }) MiB")
        await engine.shutdown()
        await mixer.shutdown()
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
