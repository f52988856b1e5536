import Foundation
import Testing

extension RenderingSuite {
    /// The library in the terminal player. It needs the program of the package Samples/MediaLibrary beside `descant`.
    @Suite struct TerminalLibraryTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        private var environment: [String: String] {
            ["XDG_DATA_HOME": shop.path("data"), "HOME": shop.folder.path]
        }

        private func library(_ arguments: String...) async throws -> Program {
            let result = try await Program.run("descant-library", arguments, environment: environment)
            try #require(
                result.status != 127, "descant-library is missing: build the package Samples/MediaLibrary first")
            return result
        }

        private func album(
            _ artist: String, _ album: String, _ titles: [String], seconds: Double = 180, genre: String = ""
        ) throws {
            let folder = shop.path("music/\(album)")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (index, title) in titles.enumerated() {
                try shop.flac(
                    "music/\(album)/\(index + 1).flac", seconds: seconds, rate: 8_000, channels: 1,
                    tags: ["TITLE=\(title)", "ARTIST=\(artist)", "ALBUM=\(album)", "TRACKNUMBER=\(index + 1)"]
                        + (genre.isEmpty ? [] : ["GENRE=\(genre)"]))
                try FileManager.default.removeItem(atPath: shop.path("music/\(album)/\(index + 1).flac.wav"))
            }
        }

        private func player(width: Int = 80, height: Int = 24) throws -> TerminalProgram {
            try TerminalProgram(
                "descant",
                ["play", "--output", "null", try shop.tone("start.wav", seconds: 120, rate: 8_000, channels: 1)],
                width: width, height: height, environment: environment)
        }

        @Test(arguments: [(80, 24), (40, 15)])
        func theLibraryIsBrowsedSearchedAndPlayed(width: Int, height: Int) async throws {
            try album("Field", "Nocturnes", ["First Night", "Second Night"])
            try album("Ravel", "Miroirs", ["Noctuelles"])
            try #require(try await library("add", shop.path("music")).output == "3 new\n")
            let player = try player(width: width, height: height)
            try player.wait("the view", until: shows("▶ playing"))
            player.type("b")
            try player.wait("the artists") { shows("  Field ")($0) && shows("  Ravel ")($0) && shows("1 album")($0) }
            player.type("\r")
            try player.wait("the albums") { shows("library · Field")($0) && shows("Nocturnes ")($0) }
            player.type("\r")
            try player.wait("the tracks") { shows(" 1  First Night")($0) && shows("3:00")($0) }
            player.type("a")
            try player.wait("the addition", until: shows("added First Night to the playlist"))
            player.type("j\r")
            try player.wait("the track") { $0.bold.contains("Second Night") && shows("2/3")($0) }
            // Half of it is passed over, so it does not count.
            player.type("6")
            player.type("\u{1b}")
            try player.wait("the albums again", until: shows("2 tracks"))
            player.type("/noctue")
            try player.wait("what was found") { shows("Ravel – Noctuelles")($0) && shows("search: noctue")($0) }
            player.type("\r\r")
            try player.wait("the found track") { $0.bold.contains("Noctuelles") && shows("3/4")($0) }
            player.type("b")
            try player.wait("the playlist") { shows("First Night – Field")($0) && !shows("library ·")($0) }
            // What comes into the folder is found.
            try album("Satie", "Gnossiennes", ["Lent"], seconds: 2)
            player.type("b/satie")
            try player.wait("the new track", until: shows("Satie – Lent"))
            player.type("\r\r")
            // It is heard to its end, so it counts.
            try player.wait("the end of the new track", until: shows("5/5"))
            player.type("q")
            #expect(try player.finish() == 0)
            let counted = try await library("list", "tracks", "--most-played", "--paths").output
            #expect(counted == shop.path("music/Gnossiennes/1.flac") + "\n")
        }

        @Test func anEmptyLibraryIsFilledFromThePlayer() async throws {
            _ = try await library("stats")
            try album("Field", "Nocturnes", ["First Night"])
            // Messages with the long paths of tests fit into a line.
            let player = try player(width: 240)
            try player.wait("the view", until: shows("▶ playing"))
            player.type("A")
            try player.wait("where folders are added", until: shows("folders are added to the library; b shows it"))
            player.type("b")
            try player.wait("the hint", until: shows("the library is empty; A adds a folder"))
            player.type("A~/nowhere\r")
            try player.wait("the reason", until: shows("nowhere: No such file or directory"))
            player.type("A~/start.wav\r")
            try player.wait("the other reason", until: shows("start.wav: Not a directory"))
            player.type("Amusic")
            try player.wait("the line", until: shows("add the folder: music"))
            player.type("\u{1b}")
            try player.wait("the end of the line") { !shows("add the folder")($0) && shows("the library is empty")($0) }
            player.type("A~/music\r")
            try player.wait("the addition", until: shows("added ~/music to the library"))
            try player.wait("the artist", until: shows("  Field "))
            player.type("A\(shop.path("music/Nocturnes"))\r")
            try player.wait("the refusal", until: shows("which is in the library already"))
            // The folder is followed, as if it had always been there.
            try album("Satie", "Gnossiennes", ["Lent"])
            try player.wait("the other artist", until: shows("  Satie "))
            player.type("\u{1b}")
            try player.wait("the playlist", until: shows("▶ start "))
            player.type("q")
            #expect(try player.finish() == 0)
            #expect(try await library("list", "folders").output == shop.path("music") + "\n")
        }

        @Test(arguments: [(160, 24), (40, 15)])
        func aFolderIsRemovedAfterAQuestion(width: Int, height: Int) async throws {
            try album("Field", "Nocturnes", ["First Night"])
            try FileManager.default.createDirectory(atPath: shop.path("other"), withIntermediateDirectories: true)
            try #require(try await library("add", shop.path("music"), shop.path("other")).output == "1 new\n")
            try FileManager.default.removeItem(atPath: shop.path("other"))
            let player = try player(width: width, height: height)
            try player.wait("the view", until: shows("▶ playing"))
            player.type("b")
            try player.wait("the artist", until: shows("  Field "))
            player.type("\t\t\t\t")
            try player.wait("the folders") {
                shows("newest  folders")($0) && shows("~/music")($0) && shows(" 1 track")($0)
                    && shows("0 tracks, not readable")($0)
            }
            player.type("d")
            try player.wait("the question") { shows("Remove ~/music from the library")($0) && shows("stay")($0) }
            player.type("q")
            try player.wait("the answer", until: shows("~/music stays in the library"))
            player.type("dy")
            try player.wait("the removal") {
                shows("removed ~/music from the library")($0) && !shows("1 track")($0) && shows("~/other")($0)
            }
            player.type("\t")
            try player.wait("the empty library", until: shows("the library is empty"))
            player.type("q")
            #expect(try player.finish() == 0)
            #expect(try await library("list", "folders").output == shop.path("other") + "\n")
            #expect(FileManager.default.fileExists(atPath: shop.path("music/Nocturnes/1.flac")))
        }

        @Test func genresTheMostPlayedAndTheNewestAreBrowsed() async throws {
            try album("Field", "Nocturnes", ["First Night", "Second Night"], seconds: 2, genre: "Piano")
            try album("Ravel", "Bolero", ["Bolero"], genre: "Ballet")
            try #require(try await library("add", shop.path("music")).output == "3 new\n")
            let player = try player()
            try player.wait("the view", until: shows("▶ playing"))
            player.type("b")
            try player.wait("the artists") {
                shows("artists  genres  most played  newest  folders")($0) && shows("  Field ")($0)
            }
            player.type("\t")
            try player.wait("the genres") { shows("  Ballet ")($0) && shows("  Piano ")($0) && shows("2 tracks")($0) }
            player.type("\t")
            try player.wait("the hint", until: shows("no track of the library was played yet"))
            player.type("\t")
            try player.wait("the newest", until: shows("  Field – Second Night "))
            player.type("\t\t\t")
            try player.wait("the genres again", until: shows("  Piano "))
            player.type("j\r")
            try player.wait("the artists of a genre") {
                shows("library · genres · Piano")($0) && !shows("  Ravel ")($0)
            }
            player.type("a")
            try player.wait("the addition", until: shows("added 2 tracks of Field to the playlist"))
            player.type("\r")
            try player.wait("the album", until: shows("  Nocturnes "))
            player.type("\r")
            try player.wait("the tracks", until: shows(" 1  First Night"))
            player.type("\r")
            try player.wait("the end of the track", until: shows("3/4"))
            player.type("\t")
            try player.wait("the most played") { shows("  Field – First Night ")($0) && shows("1 play")($0) }
            player.type("q")
            #expect(try player.finish() == 0)
        }

        /// A library that was not closed in order, or whose disk is bad.
        @Test func aDamagedLibraryIsSetAside() async throws {
            try FileManager.default.createDirectory(
                atPath: shop.path("data/descant"), withIntermediateDirectories: true)
            let damage = String(repeating: "no library, but a text that is longer than a header. ", count: 9)
            try shop.file("data/descant/library.sqlite", damage)
            let player = try player()
            try player.wait("the view", until: shows("▶ playing"))
            player.type("b")
            try player.wait("the notice", until: shows("set aside as library.sqlite.damaged"))
            try player.wait("the empty library", until: shows("A adds a folder"))
            player.type("q")
            #expect(try player.finish() == 0)
            #expect(
                try String(contentsOfFile: shop.path("data/descant/library.sqlite.damaged"), encoding: .utf8) == damage)
        }
    }
}
