import DescantCore
import DescantPlayback
import DescantTestSupport
import DescantTesting
import Testing

/// Changes of text or settings during other commands.
@Suite(.timeLimit(.minutes(2)))
struct SpeechHandoverTests {
    /// A text that is replaced during a start is not heard.
    @Test func textLoadedDuringStartReplacesTheOther() async throws {
        let session = SpeechSession()
        let old = (0..<8).map { "Old number \($0)." }.joined(separator: " ")
        let new = try await SpeechSession.sound("New.")
        for _ in 0..<40 {
            try await session.speak(old)
            try await session.render(400)
            try await session.engine.seek(toSentence: 6)
            async let loading: Void = session.engine.loadContent(.text("New.", language: nil))
            async let playing: Void = session.engine.play()
            async let moving: Void = session.engine.nextSentence()
            async let again: Void = session.engine.play()
            _ = try? await (loading, playing, moving, again)
            let before = session.samples.count
            try await session.render(1_600)
            let heard = session.samples[(before + 80)...]
            #expect(heard.allSatisfy { $0 == 0 } || Array(heard.prefix(new.count - 80)) == Array(new[80...]))
            await session.engine.stop()
        }
    }

    /// The mixer has no deck any more, and the end is not reported yet.
    @Test func settingsChangedAtTheEndRepeatNothing() async throws {
        for _ in 0..<30 {
            let session = SpeechSession()
            try await session.speak("Alpha beta.")
            let layer = await session.engine.layer
            _ = try await session.manual.engine.advance(frames: 80_000, untilIdle: layer)
            try await session.engine.setRate(2)
            try await session.wait(for: .finished)
            try await session.render(8_000)
            let expected = try await SpeechSession.sound("Alpha beta.")
            #expect(Array(session.samples[..<expected.count]) == expected)
            #expect(session.samples[expected.count...].allSatisfy { $0 == 0 })
        }
    }

    @Test(arguments: [Int.max, .min, 1_000])
    func skipsOfAnyLengthEndAtTheLastWord(count: Int) async throws {
        let session = SpeechSession()
        try await session.engine.loadContent(.text("Alpha beta. Gamma delta.", language: nil))
        try await session.engine.seek(toUTF8Offset: 6)
        try await session.engine.skipWords(count)
        #expect(await session.engine.utf8Offset == (count > 0 ? 18 : 0))
    }

    @Test func playAtTheEndSpeaksAgain() async throws {
        let session = SpeechSession()
        let expected = try await SpeechSession.sound("Alpha beta.")
        for _ in 0..<20 {
            try await session.speak("Alpha beta.")
            try await session.render(400)
            // Begins with the present state. The session's recorder may still have to read the end of the round before.
            let states = EventRecorder(session.engine.stateUpdates)
            let replay = Task {
                try await states.wait { $0 == .finished }
                try await session.engine.play()
            }
            try await session.engine.nextSentence()
            try await replay.value
            let start = session.samples.count
            try await session.finish()
            #expect(session.samples.count - start >= expected.count)
            await session.engine.stop()
        }
    }
}
