import Descant
import DescantTesting
import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

struct DescantPlayerTests {
    @Test func aStopFromAfarFadesAsShortlyAsThatOfAKey() async throws {
        let missing = PlaylistEntry(url: URL(fileURLWithPath: "/nowhere/a.wav"))
        let request = PlayRequest(entries: [missing], output: .null, options: PlayOptions(), isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        #expect(player.liveOptions.configuration.stopFadeDuration == 0.3)
        await player.stop(fade: 0)
    }

    @Test func aChosenTrackIsPlayedByAPausedPlayer() async throws {
        let folder = try TemporaryDirectory()
        let entries = try ["a", "b"].map { name in
            let file = folder.file("\(name).wav")
            try WAVFile(TestSignal.sine(440, seconds: 60).samples(), encoding: .float32).write(to: file)
            return PlaylistEntry(url: file)
        }
        let request = PlayRequest(entries: entries, output: .null, options: PlayOptions(), isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.start()
        try await player.togglePause()
        for await state in player.service.stateUpdates where state == .paused { break }
        try await player.jump(to: 1)
        #expect(await player.service.getCurrentTrackIndex() == 1)
        for await state in player.service.stateUpdates where state == .playing { break }
        await player.stop(fade: 0)
    }

    @Test func failuresAreShownWithoutTheName() {
        let url = URL(fileURLWithPath: "/m/a.flac")
        #expect(AudioPlayerError.fileNotFound(url).reason == "there is no such file")
        #expect(
            AudioPlayerError.invalidAudioFile(url, reason: "unsupported: /m/a.flac is not audio").reason == "not audio")
        #expect(AudioPlayerError.invalidAudioFile(url, reason: "reading ended").reason == "reading ended")
    }

    @Test func removedEntriesComeBackAsTheyWere() {
        let entries = ["a", "b"].map { PlaylistEntry(url: URL(fileURLWithPath: "/m/\($0).flac"), title: "title \($0)") }
        var queue = ShownQueue(entries)
        #expect(queue.update(entries.map(\.url)) == nil)
        #expect(queue.update([entries[0].url]) == [entries[0]])
        queue.remember([entries[1]])
        #expect(queue.update([entries[1].url, entries[0].url]) == [entries[1], entries[0]])
        let changed = queue.change(entries[0].url, onlyIfNew: false) { _ in entries[0] }
        #expect(changed.map(\.0) == [1])
        #expect(queue.change(entries[0].url, onlyIfNew: true) { $0 }.isEmpty)
    }
}
