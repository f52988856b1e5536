import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// The order of playing of a shuffled playlist, and what edits do to it.
struct ShuffledOrderTests {
    private func url(_ number: Int) -> URL {
        URL(filePath: "/music/\(number).flac", directoryHint: .notDirectory)
    }

    private func shuffled(_ count: Int, current: Int, seed: UInt64 = 7) -> Playlist {
        var playlist = Playlist((0..<count).map(url))
        playlist.select(current)
        playlist.shuffle(seed: seed, beginningWith: current)
        return playlist
    }

    private func order(_ playlist: Playlist) -> [Int] { (playlist.shuffled?.indices ?? []).map(Int.init) }

    /// The remaining URLs in order.
    private func coming(_ playlist: Playlist) -> [URL] {
        playlist.route(after: playlist.currentIndex, wrapping: false).map { playlist[$0.index].url }
    }

    private func played(_ playlist: Playlist) -> [URL] {
        playlist.route(before: playlist.currentIndex, wrapping: false).map { playlist[$0.index].url }.reversed()
    }

    @Test func everyTrackIsPlayedOnceBeginningWithTheCurrentOne() {
        let playlist = shuffled(50, current: 20)
        #expect(order(playlist).first == 20)
        #expect(order(playlist).sorted() == Array(0..<50))
        #expect(order(playlist) != [20] + (0..<50).filter { $0 != 20 })
    }

    @Test func seedDecides() {
        #expect(order(shuffled(50, current: 3, seed: 1)) == order(shuffled(50, current: 3, seed: 1)))
        #expect(order(shuffled(50, current: 3, seed: 1)) != order(shuffled(50, current: 3, seed: 2)))
        // The order of a seed must never change, because users store seeds.
        #expect(order(shuffled(8, current: 0, seed: 42)) == [0, 3, 4, 7, 5, 2, 1, 6])
    }

    @Test func firstTrackCanBeDrawn() {
        let firsts = Set(
            (0..<64 as Range<UInt64>).map { seed in
                var playlist = Playlist((0..<8).map(url))
                playlist.shuffle(seed: seed, beginningWith: nil)
                return playlist.currentIndex
            })
        #expect(firsts == Set(0..<8))
    }

    @Test func addedTracksAreInsertedAfterTheCurrentOne() {
        var playlist = shuffled(10, current: 0)
        playlist.select(playlist.route(after: 0, wrapping: false).map(\.index)[3])
        let past = played(playlist)
        let before = coming(playlist)
        playlist.append([url(100), url(101), url(102)])
        #expect(played(playlist) == past)
        #expect(Set(coming(playlist)) == Set(before + [url(100), url(101), url(102)]))
        // The remaining tracks keep their order.
        #expect(coming(playlist).filter(before.contains) == before)
    }

    @Test func addedTracksAreInsertedAtRandom() {
        var places: Set<Int> = []
        for seed in 0..<200 as Range<UInt64> {
            var playlist = shuffled(5, current: 0, seed: seed)
            playlist.append([url(100)])
            places.insert(coming(playlist).firstIndex(of: url(100)) ?? -1)
        }
        #expect(places == Set(0...4))
    }

    @Test func removedTracksAreNotPlayed() {
        var playlist = shuffled(10, current: 4)
        let before = coming(playlist)
        let gone = playlist.urls.firstIndex(of: before[2]) ?? 0
        playlist.remove(at: [gone])
        #expect(coming(playlist) == before.filter { $0 != before[2] })
        // The next one in the order of playing takes the place of the current one.
        playlist.remove(at: [playlist.currentIndex])
        #expect(playlist[playlist.currentIndex].url == before[0])
    }

    /// Several tracks that are moved at once, with or without a shuffled order, have the places that were asked for; the others keep their
    /// order, and the tracks theirs of playing. The way back is the same with places and targets exchanged.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func tracksAreMovedAtOnce(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...12, using: &random)
        var playlist = Playlist((0..<count).map(url))
        playlist.select(Int.random(in: 0..<count, using: &random))
        for _ in 0..<2 {
            let moved = Int.random(in: 0...count, using: &random)
            let sources = (0..<count).shuffled(using: &random).prefix(moved)
            let targets = (0..<count).shuffled(using: &random).prefix(moved)
            var other = playlist
            other.move(Dictionary(uniqueKeysWithValues: zip(sources, targets)))
            for (source, target) in zip(sources, targets) { #expect(other[target] == playlist[source]) }
            let rest = (0..<count).filter { !sources.contains($0) }.map { playlist[$0].id }
            #expect((0..<count).filter { !targets.contains($0) }.map { other[$0].id } == rest)
            #expect(other[other.currentIndex] == playlist[playlist.currentIndex])
            #expect(order(other).map { other[$0] } == order(playlist).map { playlist[$0] })
            other.move(Dictionary(uniqueKeysWithValues: zip(targets, sources)))
            #expect(other.urls == playlist.urls && order(other) == order(playlist))
            playlist.shuffle(seed: seed, beginningWith: nil)
        }
    }

    /// Several tracks that are removed at once leave what they leave one after the other, with or without a shuffled order.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func removalsAtOnceEqualSingleOnes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...12, using: &random)
        var (together, single) = (Playlist((0..<count).map(url)), Playlist((0..<count).map(url)))
        let current = Int.random(in: 0..<count, using: &random)
        for _ in 0..<2 {
            together.select(current)
            single.select(current)
            let removed = Set((0..<count).filter { _ in Bool.random(using: &random) })
            var (one, other) = (together, single)
            one.remove(at: removed)
            for index in removed.sorted(by: >) { other.remove(at: [index]) }
            #expect(one.urls == other.urls && one.count == other.count)
            #expect(one.currentIndex == other.currentIndex, "\(removed) of \(count), \(current)")
            #expect(order(one) == order(other) && one.shuffled?.place == other.shuffled?.place)
            together.shuffle(seed: seed, beginningWith: nil)
            single.shuffle(seed: seed, beginningWith: nil)
        }
    }

    @Test func jumpKeepsTheHistory() {
        var playlist = shuffled(10, current: 0)
        let way = coming(playlist)
        playlist.select(playlist.urls.firstIndex(of: way[0]) ?? 0)
        playlist.select(playlist.urls.firstIndex(of: way[6]) ?? 0, isJump: true)
        #expect(played(playlist) == [url(0), way[0]])
        #expect(coming(playlist) == way.filter { $0 != way[0] && $0 != way[6] })
        playlist.select(0, isJump: true)
        #expect(played(playlist) == [way[0], way[6]])
        playlist.beginRound(with: 3)
        #expect(coming(playlist).count == 9)
    }

    @Test func roundsDifferAndDoNotStartWithTheLastTrack() {
        for count in 1...6 {
            for seed in 0..<40 as Range<UInt64> {
                var playlist = shuffled(count, current: 0, seed: seed)
                for _ in 0..<4 {
                    let last = order(playlist)[count - 1]
                    playlist.select(last)
                    let way = playlist.route(after: last, wrapping: true)
                    #expect(Array(way).map(\.index).sorted() == Array(0..<count))
                    guard let first = way.first else { break }
                    #expect(first.isRepeat && first.beginsRound)
                    #expect(count == 1 || first.index != last)
                    playlist.follow(first)
                    #expect(order(playlist).first == first.index && playlist.currentIndex == first.index)
                    #expect(order(playlist).sorted() == Array(0..<count))
                }
            }
        }
    }

    @Test func nextRoundOfARouteExcludesTriedTracks() {
        let playlist = shuffled(6, current: 2)
        let way = Array(playlist.route(after: 2, wrapping: true))
        #expect(way.map(\.beginsRound) == [false, false, false, false, false, true])
        #expect(way.map(\.index).sorted() == Array(0..<6))
        #expect(way.last?.index == 2)
    }

    /// Random edits: the order stays a permutation, and the current track, the history and the future order are kept.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func randomEditsKeepTheOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var playlist = shuffled(30, current: 10, seed: seed)
        for step in 0..<200 where !playlist.isEmpty {
            let at = Int.random(in: 0..<playlist.count, using: &random)
            let current = playlist[playlist.currentIndex]
            let past = played(playlist)
            let future = coming(playlist)
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                let new = (0..<Int.random(in: 1...4, using: &random)).map { url(1_000 + step * 10 + $0) }
                playlist.insert(new, at: at)
                #expect(coming(playlist).filter(future.contains) == future)
                #expect(played(playlist) == past)
            case 1 where at != playlist.currentIndex:
                playlist.remove(at: [at])
                #expect(future.filter(coming(playlist).contains) == coming(playlist))
            case 2:
                playlist.move([at: Int.random(in: 0..<playlist.count, using: &random)])
                #expect(coming(playlist) == future)
                #expect(played(playlist) == past)
            case 3:
                if let next = playlist.route(after: playlist.currentIndex, wrapping: false).first {
                    playlist.select(next.index)
                    #expect(played(playlist) == past + [current.url])
                }
                continue
            default:
                playlist.select(at, isJump: true)
                continue
            }
            #expect(playlist[playlist.currentIndex].id == current.id)
            #expect(order(playlist).sorted() == Array(0..<playlist.count))
        }
    }

    @Test func searchesHaveABound() {
        let playlist = shuffled(1_000, current: 0)
        #expect(Array(playlist.route(after: 0, wrapping: false)).count == PlaylistRoute.longestSearch)
    }
}
