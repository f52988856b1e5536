import Foundation
import PlayerApp
import Testing

@MainActor
struct AppStateTests {
    private let entries = ["a", "b", "c"].map { PlaylistEntry(url: URL(fileURLWithPath: "/m/\($0).flac")) }

    private func state(after updates: [PlayerUpdate]) async -> AppState {
        let player = FakePlayer()
        let state = AppState(player: player, entries: entries)
        for update in updates { player.feed.yield(update) }
        player.feed.finish()
        await state.follow()
        return state
    }

    @Test func updatesBecomeState() async {
        var tagged = entries[1]
        tagged.title = "Étude"
        tagged.duration = 61
        let state = await state(after: [
            .activity(.playing), .track(index: 1), .details(index: 1, tagged), .position(12.5, duration: 61),
            .levels(ChannelLevels(peak: [0.5, 0.25], rms: [0.1, 0.1])),
            .crossfade(CrossfadeProgress(remaining: 1, duration: 4)),
            .overlay(OverlayStatus(name: "rain", isPlaying: true, volume: 0.3)), .notice(Notice(.warning, "careful")),
        ])
        #expect(state.activity == .playing)
        #expect(state.current?.title == "Étude")
        #expect(state.selectedIndex == 1)
        #expect(state.position == 12.5 && state.duration == 61)
        #expect(state.crossfade?.share == 0.75)
        #expect(state.overlay?.name == "rain")
        #expect(state.notices.newest?.text == "careful")
        #expect(state.isDone)
    }

    @Test func unknownDurationKeepsTheTaggedOne() async {
        var tagged = entries[0]
        tagged.duration = 30
        let state = await state(after: [.details(index: 0, tagged), .track(index: 0), .position(1, duration: nil)])
        #expect(state.duration == 30)
    }

    @Test func intentsReachThePlayer() async {
        let player = FakePlayer()
        let state = AppState(player: player, entries: entries, volume: 0.5)
        for intent: PlayerIntent in [
            .togglePause, .seek(-5), .next, .previous, .toggleOverlay, .moveSelection(5), .playSelection,
            .changeVolume(0.05),
            .changeVolume(2), .changeVolume(-3),
        ] { await state.send(intent) }
        #expect(
            player.commands == [
                "togglePause", "seek -5.0", "next", "previous", "toggleOverlay", "jump 2", "volume 0.55", "volume 1.0",
                "volume 0.0",
            ])
    }

    @Test func refusalsBecomeNotices() async {
        let player = FakePlayer()
        player.refuse("a crossfade is running")
        let state = AppState(player: player, entries: entries)
        await state.send(.next)
        #expect(state.notices.newest == Notice(.warning, "a crossfade is running"))
    }

    @Test func helpAndQuitStayInTheApp() async {
        let player = FakePlayer()
        let state = AppState(player: player, entries: entries)
        await state.send(.toggleHelp)
        #expect(state.showsHelp)
        await state.send(.quit)
        #expect(state.isDone)
        #expect(player.commands.isEmpty)
    }
}
