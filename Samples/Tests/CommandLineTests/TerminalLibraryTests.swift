import Foundation
import Testing

extension CommandLineSuite {
    /// The library in the terminal player. It needs the program of the package Samples/MediaLibrary beside `descant`.
    @Suite struct TerminalLibraryTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        private var environment: [String: String] { ["XDG_DATA_HOME": shop.path("data")] }

        private func library(_ arguments: String...) async throws -> Program {
            let result = try await Program.run("descant-library", arguments, environment: environment)
            try #require(
                result.status != 127, "descant-library is missing: build the package Samples/MediaLibrary first")
            return result
        }

        private func album(_ artist: String, _ album: String, _ titles: [String], seconds: Double = 180) throws {
            let folder = shop.path("music/\(album)")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (index, title) in titles.enumerated() {
                try shop.flac(
                    "music/\(album)/\(index + 1).flac", seconds: seconds, rate: 8_000, channels: 1,
                    tags: ["TITLE=\(title)", "ARTIST=\(artist)", "ALBUM=\(album)", "TRACKNUMBER=\(index + 1)"])
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

        @Test func anEmptyLibrarySaysHowToBegin() async throws {
            _ = try await library("stats")
            let player = try player()
            try player.wait("the view", until: shows("▶ playing"))
            player.type("b")
            try player.wait("the hint", until: shows("descant library add ~/Music"))
            player.type("\u{1b}")
            try player.wait("the playlist", until: shows("▶ start "))
        }
    }
}
