import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// Edits of a playlist and the routes through it, compared with plain arrays.
struct PlaylistTests {
    private func url(_ number: Int) -> URL {
        URL(filePath: "/music/album/\(number) track.flac", directoryHint: .notDirectory)
    }

    private func playlist(_ count: Int, current: Int = 0) -> Playlist {
        var playlist = Playlist((0..<count).map(url))
        if count > 0 { playlist.select(current) }
        return playlist
    }

    @Test func keepsURLsAsTheyAre() throws {
        let urls = [
            URL(fileURLWithPath: "/a b/ü#?%.flac"), try #require(URL(string: "http://host:8000/stream?x=1&y=%20#part")),
            try #require(URL(string: "file:///percent%2Fslash.ogg")),
            URL(fileURLWithPath: "/folder/", isDirectory: true),
        ]
        #expect(Playlist(urls).urls == urls)
    }

    @Test func sameFileTwiceIsTwoItems() {
        let playlist = Playlist([url(1), url(1)])
        #expect(playlist[0].url == playlist[1].url)
        #expect(playlist[0].id != playlist[1].id)
        #expect(playlist.index(of: playlist[1].id, near: 0) == 1)
    }

    @Test(arguments: [(0, 1), (2, 2), (3, 2), (4, 2)])
    func removalKeepsOrMovesTheCurrentIndex(removed: Int, expected: Int) {
        var playlist = playlist(5, current: 2)
        playlist.remove(at: [removed])
        #expect(playlist.currentIndex == expected)
        #expect(playlist.count == 4)
    }

    @Test func removingTheLastTrackMakesTheNewLastOneCurrent() {
        var playlist = playlist(3, current: 2)
        playlist.remove(at: [2])
        #expect(playlist.currentIndex == 1)
        playlist.remove(at: [1])
        playlist.remove(at: [0])
        #expect(playlist.isEmpty)
        #expect(playlist.currentIndex == 0)
    }

    @Test(arguments: [(2, 4, 4), (0, 4, 1), (0, 2, 1), (4, 2, 3), (4, 0, 3), (0, 1, 2), (3, 4, 2), (2, 2, 2)])
    func currentTrackIsFollowedWhenMoved(source: Int, target: Int, expected: Int) {
        var playlist = playlist(5, current: 2)
        let item = playlist[2]
        playlist.move([source: target])
        #expect(playlist.currentIndex == expected)
        #expect(playlist[expected] == item)
    }

    @Test func replacedTrackIsAnotherItem() {
        var playlist = playlist(3, current: 1)
        let before = playlist[1]
        playlist.replace(at: 1, with: url(9))
        #expect(playlist.urls == [url(0), url(9), url(2)])
        #expect(playlist[1].id != before.id)
        #expect(playlist.index(of: before.id, near: 1) == nil)
    }

    @Test func indicesOutsideAreNotContained() {
        let playlist = playlist(2)
        #expect(!playlist.contains(-1))
        #expect(playlist.contains(0))
        #expect(!playlist.contains(2))
    }

    /// Many edits in a long playlist, so that chunks are split, merged and compacted.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func randomEditsEqualThoseOfAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = (0..<1_500).map(url)
        var playlist = Playlist(model)
        var current = 700
        playlist.select(current)
        for step in 0..<3_000 {
            let at = Int.random(in: 0..<model.count, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1 where step < 1_500, 0 where step >= 1_500:
                model.append(url(10_000 + step))
                playlist.append([url(10_000 + step)])
            case 2...5 where step >= 1_000 && at != current:
                model.remove(at: at)
                playlist.remove(at: [at])
                if at < current { current -= 1 }
            case 6:
                model[at] = url(20_000 + step)
                playlist.replace(at: at, with: url(20_000 + step))
            default:
                let target = Int.random(in: 0..<model.count, using: &random)
                let followed = playlist[current].id
                model.insert(model.remove(at: at), at: target)
                playlist.move([at: target])
                current = playlist.currentIndex
                #expect(playlist[current].id == followed)
            }
        }
        #expect(playlist.count == model.count)
        #expect(playlist.urls == model)
        #expect(playlist.currentIndex == current)
        let last = playlist[model.count - 1]
        #expect(playlist.index(of: last.id, near: 0) == model.count - 1)
    }

    // MARK: Routes

    private func indices(_ route: PlaylistRoute) -> [Int] { route.map(\.index) }

    @Test func routeForwardEndsOrWraps() {
        let playlist = playlist(4)
        #expect(indices(playlist.route(after: 1, wrapping: false)) == [2, 3])
        #expect(indices(playlist.route(after: 3, wrapping: false)) == [])
        #expect(indices(playlist.route(after: 1, wrapping: true)) == [2, 3, 0, 1])
        #expect(playlist.route(after: 1, wrapping: true).map(\.isRepeat) == [false, false, true, true])
        #expect(indices(playlist.route(startingAt: 2)) == [2, 3])
    }

    @Test func routeBackwardEndsOrWraps() {
        let playlist = playlist(4)
        #expect(indices(playlist.route(before: 2, wrapping: false)) == [1, 0])
        #expect(indices(playlist.route(before: 0, wrapping: false)) == [])
        #expect(indices(playlist.route(before: 1, wrapping: true)) == [0, 3, 2, 1])
    }

    @Test func singleTrackWrapsToItself() {
        let playlist = playlist(1)
        #expect(Array(playlist.route(after: 0, wrapping: true)) == [PlaylistRoute.Stop(index: 0, isRepeat: true)])
        #expect(Array(playlist.route(before: 0, wrapping: true)) == [PlaylistRoute.Stop(index: 0, isRepeat: false)])
        #expect(playlist.route(only: 0, isRepeat: true).first == PlaylistRoute.Stop(index: 0, isRepeat: true))
        #expect(PlaylistRoute.none.first == nil)
    }
}
