import DescantTestSupport
import Foundation
import Testing

/// The media library in the window: folders, scans, genres and plays.
extension DesktopPlayerTests {
    private func library(_ arguments: String..., in session: DesktopSession) throws -> String {
        let command = arguments.map { "'\($0)'" }.joined(separator: " ")
        return try session.run("sh", "-c", "'\(try TestProgram.named("descant-library").path)' \(command)")
    }

    /// Writes a tone with tags.
    private func track(
        _ title: String, by artist: String, genre: String, seconds: Double = 60, in session: DesktopSession
    ) throws {
        try session.run(
            "ffmpeg", "-v", "error", "-i", try session.tone("\(title).wav", seconds: seconds), "-metadata",
            "title=\(title)", "-metadata", "artist=\(artist)", "-metadata", "genre=\(genre)",
            session.path("music/\(title).flac"))
    }

    @Test func theFirstFolderIsAddedInTheWindow() throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("music"))
        try track("dawn", by: "Ann", genre: "Jazz", in: session)
        try session.start()
        try session.click("Library", role: "page tab")
        try session.element("the library is empty", role: "label")
        try session.click("Add Folder…", role: "push button")
        try session.choose(session.path("music"), in: "Add a Folder to the Library")
        try session.element("added ~/music to the library")
        try session.element("Ann", role: "label")
        // A folder within it has no other tracks.
        try session.run("mkdir", session.path("music/more"))
        try session.click("Add a folder to the library")
        try session.choose(session.path("music/more"), in: "Add a Folder to the Library")
        try session.wait("the reason") { elements in
            elements.first { $0.name.contains("/music/more: it lies within") && $0.name.contains("already") }
        }
        #expect(try library("list", "folders", in: session) == session.path("music"))
        #expect(session.errors == "")
    }

    @Test func aFolderIsRemovedInTheWindow() throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("music"))
        try track("dawn", by: "Ann", genre: "Jazz", in: session)
        _ = try library("add", session.path("music"), in: session)
        try session.start()
        try session.click("Library", role: "page tab")
        try session.element("Ann", role: "label")
        try session.click("View: Artists")
        try session.element("Folders")
        for key in ["End", "Return"] { try session.press(key) }
        try session.click("Remove ~/music from the library")
        try session.wait("the question") { $0.first { $0.name.contains("with its play counts? The files stay") } }
        try session.click("Cancel", role: "push button")
        try session.wait("no question") { $0.contains { $0.name == "Remove a Folder" } ? nil : true }
        #expect(try library("list", "folders", in: session) == session.path("music"))
        try session.click("Remove ~/music from the library")
        try session.click("Remove", role: "push button")
        try session.element("the library has no folders", role: "label")
        try session.element("removed ~/music from the library; its files stay")
        let none = #expect(throws: DesktopSession.Failure.self) { try library("list", "folders", in: session) }
        #expect(none?.description.contains("the library has no folders") == true)
        #expect(FileManager.default.fileExists(atPath: session.path("music/dawn.flac")))
        #expect(session.errors == "")
    }

    @Test func aScanIsShownInTheWindow() throws {
        let session = try DesktopSession()
        // A program of that name beside the player is its library.
        let program = try TestProgram.named("descant-desktop")
        try FileManager.default.copyItem(at: program, to: URL(fileURLWithPath: session.path("descant-desktop")))
        let script = try session.file(
            "descant-library",
            """
            #!/bin/sh
            scan() {
                printf '{"scan":{"phase":"%s","folder":"%s/Music","path":"","done":%s,"total":1234}}\\n' "$1" "$HOME" "$2"
            }
            while read -r question; do
                number=$(printf '%s' "$question" | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
                case $question in
                *'"artists"'*) printf '{"id":%s,"artists":[]}\\n' "$number"; scan searching 0 ;;
                *'"genres"'*)
                    printf '{"id":%s,"genres":[{"name":"Jazz","trackCount":400}]}\\n' "$number"; scan reading 400 ;;
                *'"newest"'*) printf '{"id":%s,"tracks":[]}\\n' "$number"; scan finished 0 ;;
                esac
            done
            """)
        try session.run("chmod", "755", script)
        try session.start(
            program: session.path("descant-desktop"), [],
            ["LD_LIBRARY_PATH": program.deletingLastPathComponent().path])
        try session.click("Library", role: "page tab")
        try session.element("Scanning ~/Music: 1,234 files…", role: "label")
        try session.wait("no offer during a scan") { $0.contains { $0.name == "Add Folder…" } ? nil : true }
        try session.click("View: Artists")
        try session.element("Newest")
        for key in ["Down", "Return"] { try session.press(key) }
        try session.element("Jazz", role: "label")
        try session.element("Scanning ~/Music: 400 of 1,234 files…", role: "label")
        try session.click("View: Genres")
        try session.element("Newest")
        for key in ["Down", "Down", "Return"] { try session.press(key) }
        try session.element("Add Folder…", role: "push button")
        try session.wait("the end of the scan") { $0.contains { $0.name.hasPrefix("Scanning") } ? nil : true }
        #expect(session.errors == "")
    }

    @Test func genresTheMostPlayedAndTheNewestAreShown() throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("music"))
        try track("dawn", by: "Ann", genre: "Jazz", in: session)
        try track("dusk", by: "Ben", genre: "Pop", seconds: 2, in: session)
        _ = try library("add", session.path("music"), in: session)
        try session.start()
        try session.click("Library", role: "page tab")
        try session.element("Ann", role: "label")
        try session.click("View: Artists")
        try session.element("Newest")
        for key in ["Down", "Return"] { try session.press(key) }
        try session.open("Pop", until: "Ben")
        try session.open("Ben", until: "(no album)")
        try session.open("(no album)", until: "dusk")
        try session.open("dusk", until: "dusk – Descant", role: "frame")
        // Half of it was heard then, so it counts as played.
        try session.wait("the end of the track") { $0.first { $0.name == "Play" } }
        try session.click("View: Genres")
        try session.element("Newest")
        for key in ["Down", "Return"] { try session.press(key) }
        try session.element("View: Most played")
        try session.element("Ben – dusk", role: "label")
        try session.element("1 play", role: "label")
        let counted = try library("list", "tracks", "--most-played", "--paths", in: session)
        #expect(counted == session.path("music/dusk.flac"))
        try session.click("View: Most played")
        try session.element("Newest")
        for key in ["Down", "Return"] { try session.press(key) }
        try session.element("Ann – dawn", role: "label")
        #expect(session.errors == "")
    }

    @Test func allOfALineIsPlayedNow() throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("music"))
        for title in ["dawn", "noon"] { try track(title, by: "Ann", genre: "Jazz", in: session) }
        _ = try library("add", session.path("music"), in: session)
        let files = try ["first", "last"].map { try session.tone("\($0).wav") }
        try session.start(files[0], files[1])
        try session.element("first – Descant", role: "frame")
        try session.click("Library", role: "page tab")
        try session.click("Play Ann")
        try session.element("dawn – Descant", role: "frame")
        try session.element("Pause")
        try session.click("Playlist", role: "page tab")
        try session.waitForTitles(["first", "dawn", "noon", "last"])
        #expect(session.errors == "")
    }

    @Test func aDamagedLibraryIsSetAsideInTheWindow() throws {
        let session = try DesktopSession()
        let folder = session.path(".local/share/descant")
        try session.run("mkdir", "-p", folder)
        let damage = String(repeating: "no library, but a text that is longer than a header. ", count: 9)
        try session.file(".local/share/descant/library.sqlite", damage)
        try session.start()
        try session.click("Library", role: "page tab")
        try session.wait("the notice") { elements in
            elements.first { $0.name.contains("was set aside as library.sqlite.damaged") }
        }
        try session.element("Add Folder…", role: "push button")
        #expect(try String(contentsOfFile: folder + "/library.sqlite.damaged", encoding: .utf8) == damage)
        #expect(session.errors == "")
    }
}
