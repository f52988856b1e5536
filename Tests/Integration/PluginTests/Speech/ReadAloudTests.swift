import Descant
import DescantTesting
import Foundation
import Testing

/// Real voices through the speech engine, sample by sample.
@Suite(.timeLimit(.minutes(5))) struct ReadAloudTests {
    private static let sentences = RealVoice.sentences(4)
    private static let text = sentences.joined(separator: " ")

    // MARK: Pause

    /// Five seconds within a word.
    @Test(arguments: RealVoice.allCases) func pauseInAWordLosesNoSample(voice: RealVoice) async throws {
        let session = try SpokenSession(voice)
        let expected = try await session.rehearse(Self.text)
        let (told, start) = (session.events.all.count, session.samples.count)
        // A position within sound.
        let loud = expected.indices.dropFirst(session.frames(0.6)).first { expected[$0].magnitude > 0.05 }
        let moment = try #require(loud) + 40
        try await session.engine.play()
        try await session.render(frames: moment)
        let begun = session.samples.count
        await session.engine.pause()
        try await session.render(5)
        let paused = session.samples.count
        let eventsBefore = session.events.all.filter { ($0.frame ?? 0) >= Int64(begun) }
        #expect(eventsBefore == [], "nothing is told while paused")
        try await session.engine.play()
        try await session.finish()
        let samples = session.samples
        #expect(samples[begun..<paused].allSatisfy { $0 == 0 })
        let isSame = Array(samples[start..<begun] + samples[paused...]) == expected
        #expect(isSame, "what was heard is the uninterrupted speech")
        let words = session.words(in: Self.text, since: told)
        #expect(words.map { $0.word.lowercased() } == Self.text.lowercased().split { !$0.isLetter }.map(String.init))
        #expect(!words.contains { (begun..<paused).contains($0.frame) })
        await session.end()
    }

    // MARK: Marks

    @Test(arguments: RealVoice.allCases) func marksAreOfRealWordsAndRise(voice: RealVoice) async throws {
        let text = "Café “ê\u{301}tude” 👩‍👧 1984, apple 3.5 river naïve. 👩‍👧 Stone 12!"
        let session = try SpokenSession(voice)
        try await session.speak(text)
        try await session.finish()
        let ranges = session.events.all.compactMap { event -> Range<Int>? in
            if case .word(let range, _) = event.kind { range } else { nil }
        }
        let words = session.words(in: text)
        #expect(Set(ranges).isSubset(of: SpokenWords.ranges(in: text)), "\(words)")
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
        #expect(zip(words, words.dropFirst()).allSatisfy { $0.frame < $1.frame }, "\(words)")
        let known =
            voice == .sherpa
            ? ["apple", "river", "Stone"] : ["Café", "1984", "apple", "river", "naïve", "Stone", "12"]
        #expect(Set(words.map(\.word)).isSuperset(of: known), "\(words)")
        #expect(words.allSatisfy { $0.isEstimated != voice.hasExactMarks })
        await session.end()
    }

    /// For words separated by silence, the reported times match the onsets of the rendered sound.
    @Test(arguments: RealVoice.allCases) func wordMarksMatchTheOnsets(voice: RealVoice) async throws {
        let words = RealVoice.words
        let text = [words, words.reversed()]
            .map { $0.joined(separator: ", ").capitalized + "." }.joined(separator: " ")
        let session = try SpokenSession(voice)
        try await session.speak(text)
        try await session.finish()
        let onsets = SoundOnsets.frames(in: session.samples, sampleRate: voice.sampleRate)
        let told = session.words(in: text)
        #expect(told.count == 2 * words.count && onsets.count >= told.count - 2, "\(onsets.count) onsets, \(told)")
        let lateness = told.map { word in
            onsets.map { abs(Double($0 - word.frame)) / Double(voice.sampleRate) }.min() ?? 1
        }
        let errors = lateness.sorted()
        if voice.hasExactMarks {
            // Each word is said twice. In the random noise of flite's consonants one of its onsets may be heard late.
            let takes = Dictionary(grouping: zip(told, lateness), by: \.0.word.localizedLowercase)
            let best = takes.values.map { takes in takes.map(\.1).min() ?? 1 }
            #expect(best.count == words.count && best.allSatisfy { $0 <= 0.03 }, "\(lateness)")
            #expect(errors.allSatisfy { $0 <= 0.06 }, "\(lateness)")
        } else {
            #expect(errors[errors.count * 9 / 10] <= 0.2, "\(errors)")
        }
        await session.end()
    }

    // MARK: Speed

    @Test(arguments: RealVoice.allCases) func changeOfSpeedIsHeardWithin200Milliseconds(voice: RealVoice) async throws {
        let session = try SpokenSession(voice)
        let plain = try await session.rehearse(Self.text)
        let (told, start) = (session.events.all.count, session.samples.count)
        try await session.engine.play()
        try await session.render(0.6)
        let changed = session.samples.count
        let before = await session.engine.currentTime
        try await session.engine.setRate(2)
        #expect(abs(await session.engine.currentTime - before) < 0.001)
        try await session.finish()
        let samples = session.samples
        let soon = samples[changed..<changed + session.frames(0.2)]
        let isOther = Array(soon) != Array(plain[(changed - start)...].prefix(soon.count))
        #expect(isOther, "the old speed is over")
        let (left, normal) = (samples.count - changed, plain.count - (changed - start))
        #expect(abs(Double(left) / Double(normal) - 0.5) < 0.08, "\(left) instead of half of \(normal)")
        // Pauses of 0.3 s, and the margin of silence that is left at a sentence's ends.
        let gap = SilenceAnalysis.longest(
            in: SampleBuffer(
                format: PCMFormat(sampleRate: voice.sampleRate, channels: 1), samples: Array(samples[changed...])),
            threshold: 0.001)
        let seconds = Double(gap.count) / Double(voice.sampleRate)
        #expect((0.14...0.21).contains(seconds), "a pause of \(seconds) s")
        #expect(session.words(in: Self.text, since: told).count == 5 * Self.sentences.count)
        await session.end()
    }

    // MARK: Jumps

    @Test(arguments: RealVoice.allCases) func lastOfFiftySkipsIsCarriedOut(voice: RealVoice) async throws {
        let sentences = RealVoice.sentences(56)
        let session = try SpokenSession(voice)
        let rest = try await session.rehearse(sentences[50...].joined(separator: " "))
        let before = session.events.all.count
        try await session.speak(sentences.joined(separator: " "))
        try await session.render(0.3)
        try await session.events.wait { $0.count > before + 1 }
        let jumped = session.samples.count
        let told = session.events.all.count
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try? await session.engine.nextSentence() } }
        }
        let offset = sentences[..<50].map { $0.utf8.count + 1 }.reduce(0, +)
        #expect(await session.engine.utf8Offset == offset)
        try await session.finish()
        // The cut is a ramp of 10 ms.
        let ramp = session.frames(0.011)
        let (heard, wanted) = (session.samples[(jumped + ramp)...], rest[ramp...])
        let isSame = heard == wanted
        let same = zip(heard, wanted).prefix { $0 == $1 }.count
        #expect(
            isSame,
            "one voice, from sentence 50 on: \(same) frames of \(wanted.count) are the same, \(heard.count) were heard")
        // Earlier words may be reported after the skips.
        let later = session.events.all[told...].filter { ($0.frame ?? 0) >= Int64(jumped + ramp) }
        let stale = later.contains {
            if case .word(let range, _) = $0.kind { range.lowerBound < offset } else { false }
        }
        #expect(!stale && later.count > 0)
        await session.end()
    }

    @Test(arguments: RealVoice.allCases) func seeksBySentenceTimeAndText(voice: RealVoice) async throws {
        let session = try SpokenSession(voice)
        let whole = try await session.rehearse(Self.text)
        func heardAgain(_ seek: () async throws -> Void) async throws -> [Float] {
            let before = session.samples.count
            try await seek()
            try await session.engine.play()
            try await session.finish()
            return Array(session.samples[before...])
        }
        let last = try await heardAgain { try await session.engine.seek(toSentence: 2) }
        let isEnd = last == whole.suffix(last.count)
        #expect(isEnd && last.count > whole.count / 3 && last.count < whole.count * 2 / 3)
        let late = try await heardAgain { try await session.engine.seek(to: .time(1.3)) }
        #expect(abs(late.count - (whole.count - session.frames(1.3))) <= 1)
        let isLate = late == whole.suffix(late.count)
        #expect(isLate, "from 1.3 s on")
        // The third word of the second sentence, by the offset of its second letter.
        let start = Self.sentences[0].utf8.count + 1
        let second = Self.sentences[1].split(separator: " ").map(String.init)
        let offset = start + second[0].utf8.count + second[1].utf8.count + 2
        let told = session.events.all.count
        _ = try await heardAgain { try await session.engine.seek(to: .characterOffset(offset + 1)) }
        let first = session.events.all[told...].compactMap { event -> Int? in
            if case .word(let range, _) = event.kind { range.lowerBound } else { nil }
        }.first
        #expect(first == offset)
        await session.end()
    }

    @Test(arguments: RealVoice.allCases) func previousRestartsTheSentenceAndThenGoesBack(voice: RealVoice) async throws
    {
        let session = try SpokenSession(voice)
        try await session.speak(Self.text)
        let second = Self.sentences[0].utf8.count + 1
        while await session.engine.utf8Offset <= second { try await session.render(0.05) }
        try await session.render(1.1)
        try await session.engine.previousSentence()
        #expect(await session.engine.utf8Offset == second)
        try await session.render(0.2)
        try await session.engine.previousSentence()
        #expect(await session.engine.utf8Offset == 0)
        try await session.engine.nextSentence()
        #expect(await session.engine.utf8Offset == second)
        await session.end()
    }

    // MARK: Stop

    /// A stop does not wait for a running synthesis, which is not heard later.
    @Test(arguments: RealVoice.allCases) func stopCancelsRunningSynthesis(voice: RealVoice) async throws {
        let long = String(repeating: "apple river stone garden paper window theory ", count: 60)
        let session = try SpokenSession(voice)
        let expected = try await session.rehearse(Self.text)
        try await session.speak(long)
        session.synthesizer.hold()
        try await session.engine.seek(toSentence: 0)
        await session.engine.stop()
        #expect(await session.engine.engineState == .idle)
        let stopped = session.samples.count
        session.synthesizer.release()
        try await session.render(1)
        let isSilent = session.samples[stopped...].dropFirst(session.frames(0.011)).allSatisfy { $0 == 0 }
        #expect(isSilent)
        let isSame = try await session.hear(Self.text) == expected
        #expect(isSame, "and not a sample of it is left")
        await session.end()
    }

    // MARK: Read-ahead

    /// Playback does not wait for a voice that is faster than real time, because synthesis is three sentences ahead.
    @Test(arguments: RealVoice.allCases) func sentencesAreSynthesisedAhead(voice: RealVoice) async throws {
        let sentences = RealVoice.sentences(12)
        let text = sentences.joined(separator: " ")
        let session = try SpokenSession(voice)
        try await session.speak(text)
        for (number, sentence) in sentences.enumerated() {
            let offset = sentences[..<number].map { $0.utf8.count + 1 }.reduce(0, +)
            while await session.engine.utf8Offset < offset { try await session.render(0.05) }
            await session.synthesizer.waitForRequests(min(sentences.count, number + 4))
            let ahead = session.synthesizer.requests.count - number
            #expect(ahead <= 6, "and not many more are kept: \(ahead) at \(sentence)")
        }
        await session.end()
    }
}
