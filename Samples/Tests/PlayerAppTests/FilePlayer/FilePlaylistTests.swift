import Descant
import Foundation
import Testing

@testable import PlayerApp

/// The order of a playlist, without a player.
struct FilePlaylistTests {
    private func playlist(_ names: String..., current: Int? = nil) -> FilePlaylist {
        var playlist = FilePlaylist()
        playlist.insert(names.map { Track(url: URL(fileURLWithPath: "/m/\($0)")) }, at: 0)
        playlist.setCurrent(current.map { playlist.tracks[$0].id })
        return playlist
    }

    @Test func nextGoesFromTheLastTrackToTheFirst() {
        var last = playlist("a", "b", current: 1)
        last.repeats = .track
        #expect(last.next()?.title == "a")
        var fresh = playlist("a", "b")
        #expect(fresh.next()?.title == "a")
        var empty = FilePlaylist()
        #expect(empty.next() == nil && empty.previous() == nil && empty.afterEnd() == nil)
    }

    @Test func previousStaysOnTheFirstTrack() {
        #expect(playlist("a", "b", current: 0).previous()?.title == "a")
        #expect(playlist("a", "b", current: 1).previous()?.title == "a")
    }

    @Test(arguments: [(RepeatSetting.off, nil), (.track, "b"), (.playlist, "a")] as [(RepeatSetting, String?)])
    func theNaturalEndOfTheLastTrackFollowsTheSetting(_ setting: RepeatSetting, _ expected: String?) {
        var playlist = playlist("a", "b", current: 1)
        playlist.repeats = setting
        #expect(playlist.afterEnd()?.title == expected)
        // A track that cannot be played is not repeated.
        #expect(playlist.afterFailure()?.title == (setting == .playlist ? "a" : nil))
    }

    @Test func aShuffledOrderBeginsWithThePresentTrackAndHasEveryTrackOnce() {
        var playlist = playlist("a", "b", "c", "d", "e", current: 2)
        playlist.setShuffled(true)
        var seen = [playlist.current?.title ?? ""]
        for _ in 1..<5 {
            playlist.setCurrent(playlist.afterEnd()?.id)
            seen.append(playlist.current?.title ?? "")
        }
        #expect(seen.first == "c" && Set(seen).count == 5)
        #expect(playlist.afterEnd() == nil)
        // A person's Next draws a new order, which does not begin with the track that was just played.
        #expect(playlist.next()?.title != seen.last)
        #expect(playlist.tracks.map(\.title) == ["a", "b", "c", "d", "e"])
    }

    @Test func insertedAndRemovedTracksKeepTheOrder() {
        var playlist = playlist("a", "d", current: 1)
        playlist.setShuffled(true)
        playlist.insert(["b", "c"].map { Track(url: URL(fileURLWithPath: "/m/\($0)")) }, at: 1)
        #expect(playlist.tracks.map(\.title) == ["a", "b", "c", "d"] && playlist.currentIndex == 3)
        playlist.remove(at: [0, 9])
        playlist.setShuffled(false)
        #expect(playlist.tracks.map(\.title) == ["b", "c", "d"])
        playlist.sort(by: .added)
        #expect(playlist.tracks.map(\.title) == ["b", "c", "d"])
    }
}
