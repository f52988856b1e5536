import DescantCore
import Foundation
import Testing

@testable import PlayerApp

/// The work that a change of a long playlist makes. A view draws after each, so it must be that of the change, not of the list.
@MainActor
struct LongPlaylistTests {
    private static let count = 5_000
    private let state: AppState
    private let model: PlayerWindowModel

    init() {
        let entries = (0..<Self.count).map { PlaylistEntry(url: URL(filePath: "/m/file \($0).flac")) }
        state = AppState(player: FakePlayer(), entries: entries, staysOpen: true)
        model = PlayerWindowModel(state)
    }

    /// A batch of tags, as the player reads them while the list is shown.
    private func batch(_ places: StrideTo<Int>, title: (Int) -> String) -> PlayerUpdate {
        .manyDetails(
            Dictionary(
                uniqueKeysWithValues: places.map { place in
                    var entry = state.entries[place]
                    (entry.title, entry.artist, entry.duration) = (title(place), "Ann", 60.5)
                    return (place, entry)
                }))
    }

    private var expected: [Int] {
        let words = ["étude", "99"].map { SearchText.Word(Substring($0)) }
        return state.entries.indices.filter { state.entries[$0].contains(words) }
    }

    @Test func tagsAreComparedWithTheFilterForTheirEntriesAlone() async {
        await state.send(.filter("étude 99"))
        #expect(state.shownIndices.isEmpty && state.comparisons == Self.count)
        // Some come, behind and before those that are shown.
        state.apply(batch(stride(from: 50, to: 2_050, by: 10)) { $0 % 20 == 10 ? "Etude \($0 + 9)" : "Song" })
        state.apply(batch(stride(from: 0, to: 400, by: 2)) { "ETUDE \($0 * 99)" })
        #expect(state.comparisons == Self.count + 400)
        #expect(state.shownIndices == expected && state.shownIndices.count > 10)
        // Some go.
        state.apply(batch(stride(from: 0, to: 400, by: 4)) { _ in "Song" })
        #expect(state.comparisons == Self.count + 500)
        #expect(state.shownIndices == expected && !state.shownIndices.isEmpty)
        await state.send(.filter(""))
        #expect(state.shownIndices == Array(0..<Self.count) && state.comparisons == Self.count + 500)
    }

    @Test func aFilterThatIsTypedComparesEachEntryOnceForEachLetter() async {
        for intent in [PlayerIntent.begin(.search), .type("9"), .type("9"), .moveSelection(1), .erase] {
            await state.send(intent)
        }
        #expect(state.comparisons == 3 * Self.count)
        #expect(state.shownIndices == state.entries.indices.filter { String($0).contains("9") })
    }

    @Test func lettersWithTagsInBetweenShowWhatEachEntryContains() async {
        func expected() -> [Int] {
            let words = (state.prompt?.filter ?? "").split(separator: " ").map(SearchText.Word.init)
            return state.entries.indices.filter { state.entries[$0].contains(words) }
        }
        let titles = ["Étude", "Straße", "Song", "한국", "E\u{301}tude SS"]
        var intents = [PlayerIntent.begin(.search)] + "es 1".map(PlayerIntent.type)
        intents += [.erase, .erase, .type("s"), .erase, .erase, .erase, .type("한")]
        for (step, intent) in intents.enumerated() {
            await state.send(intent)
            #expect(state.shownIndices == expected())
            state.apply(batch(stride(from: step, to: Self.count, by: 7)) { titles[($0 + step) % titles.count] })
            #expect(state.shownIndices == expected())
        }
        #expect(!state.shownIndices.isEmpty)
        state.apply(.playlist(state.entries.suffix(100).reversed(), current: nil, edit: 0))
        #expect(state.shownIndices == expected() && !state.shownIndices.isEmpty)
    }

    @Test func linesStayWhileTagsAreRead() async {
        let version = model.rowKeysVersion
        model.select([7])
        state.apply(batch(stride(from: 0, to: 1_000, by: 10)) { "Song \($0)" })
        model.followSelection()
        #expect(model.rowKeysVersion == version && model.selection == [7])
        #expect(model.row(at: 10)?.title == "Song 10")
        // A filter that shows as many as before has no new lines either.
        await model.state.carryOut(.filter("song"))
        let filtered = model.rowKeysVersion
        #expect(filtered != version && model.rowKeys.count == 100)
        state.apply(batch(stride(from: 0, to: 1_000, by: 10)) { "Song \($0) (live)" })
        #expect(model.rowKeysVersion == filtered)
        state.apply(batch(stride(from: 1, to: 2, by: 1)) { _ in "Song" })
        #expect(model.rowKeysVersion != filtered && model.rowKeys.count == 101)
    }

    @Test func theSelectionStaysWithItsTracksWhenOneIsInserted() async {
        model.select([7])
        state.apply(batch(stride(from: 0, to: 100, by: 1)) { "Song \($0)" })
        let new = PlaylistEntry(url: URL(filePath: "/m/new.flac"))
        state.apply(.playlist([new] + state.entries, current: nil, edit: 0))
        model.followSelection()
        #expect(model.selection == [8])
    }

    @Test func lengthsAreAddedUpWithEachChange() async {
        #expect(model.listSummary == "5,000 tracks")
        state.apply(batch(stride(from: 0, to: 100, by: 1)) { "\($0)" })
        #expect(model.listSummary == "5,000 tracks, at least 1:40:50")
        for (length, total) in [(1e300, "277777:46:40"), (.infinity, "1:39:49"), (-5, "1:39:49"), (100.5, "1:41:30")] {
            var entry = state.entries[0]
            entry.duration = length
            state.apply(.details(index: 0, entry))
            #expect(model.listSummary == "5,000 tracks, at least \(total)")
        }
        await state.send(.removeSelection)
        #expect(model.listSummary == "4,999 tracks, at least 1:39:49")
        state.apply(.playlist(Array(state.entries.prefix(2)), current: nil, edit: 1))
        #expect(model.listSummary == "2 tracks, 2:01")
    }
}
