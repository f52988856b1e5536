internal import Foundation

/// A media library, and a playlist of its files: small ones with tags, ten on each album, and one album of each artist.
struct LibraryCorpus {
    /// The number of tracks of the library that figures are given for.
    static let fullCount = 100_000
    /// The first words of titles. No two begin with the same letter.
    static let words = [
        "amber", "cello", "ember", "harbour", "lantern", "meadow", "night", "orchard", "river", "violet",
    ]

    /// The folder of the library's files, and of what players keep that use it.
    let home: URL
    /// The number of tracks.
    let count: Int

    /// Makes a library.
    ///
    /// - Parameters:
    ///   - folder: Where to write.
    ///   - program: `descant-library`.
    ///   - count: The number of tracks, a multiple of ten.
    init(in folder: URL, program: URL, count: Int = LibraryCorpus.fullCount) throws {
        home = folder.appendingPathComponent("library")
        self.count = count
        var lines = ["#EXTM3U"]
        for album in 0..<artistCount {
            let place = music.appendingPathComponent("\(album / 100)/\(album)")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for track in 0..<10 {
                let file = place.appendingPathComponent("\(track).flac")
                try Self.file(album: album, track: track).write(to: file)
                lines += ["#EXTINF:180,\(Self.artist(album)) - \(Self.title(album: album, track: track))", file.path]
            }
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: playlist)
        _ = try ChildProcess(program, ["add", music.path], environment: environment).finish()
    }

    /// Finds a library that was made.
    ///
    /// - Parameter home: Its folder.
    init(at home: URL) throws {
        self.home = home
        // Two lines for each track behind the heading.
        let playlist = try Data(contentsOf: home.appendingPathComponent(Self.playlistName))
        count = playlist.count(where: { $0 == UInt8(ascii: "\n") }) / 2
    }

    /// The number of artists, each of whom has one album.
    var artistCount: Int { count / 10 }

    /// The variables with which the programs use this library and no settings of the person who measures.
    var environment: [String: String] {
        var variables = ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8"]
        for name in ["DATA", "STATE", "CONFIG", "CACHE"] { variables["XDG_\(name)_HOME"] = home.path + "/\(name)" }
        return variables
    }

    /// The folder of the tracks.
    var music: URL { home.appendingPathComponent("music") }

    /// The playlist of all tracks, with their lengths, artists and titles.
    var playlist: URL { home.appendingPathComponent(Self.playlistName) }

    private static let playlistName = "all.m3u"

    static func title(album: Int, track: Int) -> String { "\(words[track]) \(album)-\(track)" }

    static func artist(_ album: Int) -> String { "Band " + String(100_000 + album).dropFirst() }

    /// A FLAC file of three minutes that has its header and its tags alone.
    private static func file(album: Int, track: Int) -> Data {
        let tags = [
            "TITLE=\(title(album: album, track: track))", "ARTIST=\(artist(album))", "ALBUM=Record \(album)",
            "TRACKNUMBER=\(track + 1)", "DATE=\(1950 + album % 70)", "GENRE=\(words[album % 10])",
        ]
        var comments = size(7)
        comments += Data("descant".utf8)
        comments += size(tags.count)
        for tag in tags {
            comments += size(tag.utf8.count)
            comments += Data(tag.utf8)
        }
        // 44.1 kHz, two channels of 16 bits, 7,938,000 frames.
        var file = Data("fLaC".utf8)
        file += [0, 0, 0, 34, 0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x0A, 0xC4, 0x42, 0xF0, 0, 0x79, 0x1F, 0xD0]
        file += Data(count: 16)
        let length = comments.count
        file += [0x84, UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
        return file + comments
    }

    private static func size(_ number: Int) -> Data { Data((0..<4).map { UInt8(number >> ($0 * 8) & 0xFF) }) }
}
