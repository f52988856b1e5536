import Descant
import Foundation
import MediaLibrary
import Testing

/// What is asked of a library.
@Suite struct QueryTests {
    private let music: MusicFolder

    init() throws { music = try MusicFolder() }

    private func library() async throws -> MediaLibrary {
        try music.track("1.wav", TagBundle("So What", by: "Miles Davis", on: "Kind of Blue", year: 1959, genre: "Jazz"))
        try music.track(
            "2.wav",
            TagBundle("Blue in Green", by: "Miles Davis", on: "Kind of Blue", number: 2, year: 1959, genre: "Jazz"))
        try music.track("3.wav", TagBundle("Tutu", by: "miles davis", on: "Tutu", year: 1986, genre: "Fusion"))
        try music.track("4.wav", TagBundle("Öde Straße", by: "Ärzte & Söhne", on: "Blau", genre: "Rock"))
        try music.track("5.wav", TagBundle("AC/DC \"live\"", by: "Nobody's", on: "NOT AND OR"))
        try music.track("untagged name.wav")
        return try await music.scannedLibrary()
    }

    @Test func foldersAreListedWithTheirState() async throws {
        let library = try await library()
        let file = music.elsewhere.appending(path: "7.wav", directoryHint: .notDirectory)
        try FileManager.default.createDirectory(at: music.elsewhere, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: music.url.appending(path: "1.wav"), to: file)
        try await library.add(music.elsewhere)
        try await library.scan(with: MusicFolder.reader)
        let (elsewhere, path) = (music.elsewhere.path, music.url.path)
        func states() async throws -> [String] {
            try await library.folderStates(patience: 60).map { "\($0.path) \($0.trackCount) \($0.state)" }
        }
        #expect(try await states() == ["\(elsewhere) 1 readable", "\(path) 6 readable"])
        try FileManager.default.removeItem(at: file)
        try FileManager.default.removeItem(at: music.url)
        #expect(try await states() == ["\(elsewhere) 1 empty", "\(path) 6 unreadable"])
        try await library.remove(music.url)
        #expect(try await states() == ["\(elsewhere) 1 empty"])
        #expect(try await library.tracks().count == 1)
    }

    @Test func artistsAlbumsAndGenresAreListed() async throws {
        let library = try await library()
        let artists = try await library.artists()
        #expect(artists.map(\.albumCount) == [1, 2, 1, 1])
        #expect(artists.map(\.trackCount) == [1, 3, 1, 1])
        #expect(artists[0].name == "Ärzte & Söhne" && artists[3].name.isEmpty, "without an artist comes last")
        let albums = try await library.albums(by: "MILES DAVIS")
        #expect(albums.map(\.title) == ["Kind of Blue", "Tutu"] && albums.map(\.year) == [1959, 1986])
        #expect(try await library.albums().count == 5)
        #expect(try await library.tracks(LibraryQuery(album: albums[0])).map(\.title) == ["So What", "Blue in Green"])
        let nameless = try await library.albums(by: "")
        #expect(nameless.count == 1)
        #expect(try await library.tracks(LibraryQuery(album: nameless[0])).map(\.title) == ["untagged name"])
        #expect(try await library.genres().map(\.name) == ["Fusion", "Jazz", "Rock"])
        #expect(try await library.albums(by: "Miles Davis", in: "JAZZ").map(\.title) == ["Kind of Blue"])
        #expect(try await library.albums(in: "fusion").map(\.title) == ["Tutu"])
        #expect(try await library.albums(by: "Nobody's", in: "Jazz").isEmpty)
        var query = LibraryQuery()
        (query.artist, query.genre) = ("miles davis", "fusion")
        #expect(try await library.tracks(query).map(\.title) == ["Tutu"])
        query.artist = nil
        query.genre = "jazz"
        query.limit = 1
        query.offset = 1
        let jazz = try await library.tracks(query)
        #expect(jazz.map(\.title) == ["Blue in Green"] && jazz[0].genres == ["Jazz"] && jazz[0].trackNumber == 2)
        let counts = try await library.statistics()
        #expect(counts.trackCount == 6 && counts.artistCount == 3 && counts.albumCount == 4 && counts.genreCount == 3)
        #expect(abs(counts.duration - 0.6) < 0.01 && counts.size > 6 * 1_644)
    }

    @Test func theTracksOfAnAlbumStayTogetherWhateverTheirYears() async throws {
        try music.track("1.wav", TagBundle("One", by: "Ann", on: "Best of", year: 1990))
        try music.track("2.wav", TagBundle("Two", by: "Ann", on: "Best of", number: 2, year: 1970))
        try music.track("3.wav", TagBundle("Three", by: "Ann", on: "Best of", number: 3))
        try music.track("4.wav", TagBundle("Early", by: "Ann", on: "Debut", year: 1980))
        let library = try await music.scannedLibrary()
        let albums = try await library.albums(by: "Ann")
        #expect(albums.map(\.title) == ["Debut", "Best of"])
        let best = try #require(albums.last)
        #expect(try await library.tracks(LibraryQuery(album: best)).map(\.title) == ["One", "Two", "Three"])
        var query = LibraryQuery()
        query.artist = "ann"
        #expect(try await library.tracks(query).map(\.title) == ["Early", "One", "Two", "Three"])
    }

    @Test func titlesAreInOrderWhateverTheirCaseAndAccents() async throws {
        let titles = ["apple", "oboe", "Ólafur", "paper", "Zebra"]
        for title in titles.reversed() { try music.track("\(title).wav") }
        let library = try await music.scannedLibrary()
        #expect(try await library.tracks().map(\.title) == titles)
        let nameless = try #require(try await library.albums().first)
        #expect(try await library.tracks(LibraryQuery(album: nameless)).map(\.title) == titles)
    }

    @Test(arguments: [
        ("miles blue", ["So What", "Blue in Green"]), ("BLU gre", ["Blue in Green"]), ("ode strasse", []),
        ("ode stra", ["Öde Straße"]), ("arzt", ["Öde Straße"]), ("öde", ["Öde Straße"]), ("fusion tutu", ["Tutu"]),
        ("ac/dc", ["AC/DC \"live\""]), ("\"live\"", ["AC/DC \"live\""]), ("not and", ["AC/DC \"live\""]),
        ("untagged nam", ["untagged name"]), ("", []), ("   ", []), ("\"", []), ("*", []), ("-- ) (", []),
        ("miles NOT blue", []), ("title:so", []), ("what*", ["So What"]), ("\u{0}what", ["So What"]),
        ("^so", ["So What", "Öde Straße"]), ("nowhere", []),
    ])
    func wordsAreFound(text: String, titles: [String]) async throws {
        let library = try await library()
        #expect(try await library.search(text).map(\.title) == titles)
    }

    @Test func searchIsLimitedAndFollowsChanges() async throws {
        let library = try await library()
        #expect(try await library.search("miles", limit: 2).count == 2)
        #expect(try await library.search("miles", limit: 0).isEmpty)
        try music.track("1.wav", TagBundle("Freddie", by: "Wynton Kelly", on: "Kind of Blue"))
        try await library.scan(with: MusicFolder.reader)
        #expect(try await library.search("what").isEmpty)
        #expect(try await library.search("wynton").map(\.title) == ["Freddie"])
        try await library.remove(music.url)
        #expect(try await library.search("miles").isEmpty)
    }
}
