import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// Remote control of a speech engine by sentences.
@Suite(.timeLimit(.minutes(2)))
struct SentenceStepTests {
    private let session = SpeechSession()
    private let controller: MediaPlaybackController
    private let text = "One is short. Two  is\nlonger. Three ends."

    init() { controller = MediaPlaybackController(catalog: ScriptedEngines([session.engine]), session: nil) }

    private func load() async throws {
        try await controller.loadContent(
            .text(text, language: "en"),
            sections: [
                MediaSection(title: "First", start: .characterOffset(0)),
                MediaSection(title: "Last", start: .characterOffset(30)),
            ])
    }

    private var shown: (title: String?, album: String?) {
        get async {
            let track = await controller.nowPlaying().track
            return (track?.title, track?.album)
        }
    }

    @Test func sentencesAreNextAndPrevious() async throws {
        try await load()
        try await controller.play()
        var now = await controller.nowPlaying()
        #expect(now.abilities.isSuperset(of: [.next, .previous, .seek, .adjust, .pause]))
        #expect(now.rateRange == 0.5...3 && now.track?.duration != nil)
        #expect(await shown == ("One is short.", "First"))
        try await controller.perform(.next)
        #expect(await shown == ("Two is longer.", "First"))
        #expect(await controller.progress.characterOffset == 14)
        try await controller.perform(.next)
        #expect(await shown == ("Three ends.", "Last"))
        try await controller.perform(.previous)
        #expect(await shown == ("Two is longer.", "First"))
        let id = try #require(await controller.nowPlaying().track?.id)
        try await controller.perform(.seekTo(0, of: id))
        #expect(await shown == ("One is short.", "First"))
        try await controller.perform(.setRate(2))
        now = await controller.nowPlaying()
        #expect(now.rate == 2)
    }

    /// The published title follows the heard sentence.
    @Test func titleFollowsTheHeardSentence() async throws {
        let changes = controller.remoteChanges.buffered(.bounded(1_024)).numbered
        try await load()
        try await controller.play()
        try await session.render(SpeechSession.letter * 14 + SpeechSession.pause)
        try await session.waitForWord(at: 14)
        for await change in changes where change.event == .updated {
            if await shown.title == "Two is longer." { break }
        }
    }

    @Test func nextAndPreviousBeforeStartAndAfterEnd() async throws {
        await #expect(throws: MediaPlaybackError.noContent) { try await controller.nextSentence() }
        try await load()
        try await controller.seek(to: .characterOffset(14))
        try await controller.nextSentence()
        try await controller.play()
        #expect(await shown.title == "Three ends.")
        try await controller.nextSentence()
        for await state in controller.updates where state.activity == .finished { break }
        #expect(await controller.nowPlaying().track == nil)
        #expect(await controller.remotePosition == 0)
    }

    @Test func stopAndLaterStartReportTheirPositions() async throws {
        let changes = controller.remoteChanges.buffered(.bounded(1_024)).numbered
        try await load()
        try await controller.play()
        try await controller.nextSentence()
        let second = await controller.remotePosition
        #expect(second > 0)
        await controller.stop()
        #expect(await controller.remotePosition == 0)
        // The position of the next start is not shown yet.
        try await controller.seek(to: .characterOffset(14))
        #expect(await controller.remotePosition == 0)
        try await controller.play()
        let again = await controller.remotePosition
        #expect(again > 0)
        try await controller.nextSentence()
        let third = await controller.remotePosition
        var jumps: [TimeInterval] = []
        for await change in changes {
            guard case .jumped(let position) = change.event else { continue }
            jumps.append(position)
            if position == third { break }
        }
        #expect(jumps == [0, second, 0, again, third])
    }

    @Test func otherEnginesRefuseSentenceSteps() async throws {
        let bench = try await ControllerBench().playing(ControllerBench.text)
        await #expect(throws: CoreError.self) { try await bench.controller.nextSentence() }
        await #expect(throws: CoreError.self) { try await bench.controller.perform(.previous) }
    }
}
