import DescantTestSupport
import Foundation
import Testing

/// How the pages of the library, of the lyrics and of the reader look.
extension DesktopPlayerTests {
    /// A window with a paused track and its lyrics, a library and a book, whose first sentence is marked.
    private func startWithEverything(_ session: DesktopSession) throws {
        try session.run("mkdir", session.path("music"))
        for (title, artist) in [("dawn", "Ann"), ("noon", "Ann"), ("dusk", "Ben"), ("night", "A Choir of Many Voices")]
        {
            try session.run(
                "ffmpeg", "-v", "error", "-i", try session.tone("\(title).wav"), "-metadata", "title=\(title)",
                "-metadata", "artist=\(artist)", "-metadata", "album=Day", session.path("music/\(title).flac"))
        }
        try session.run(TestProgram.named("descant-library").path, "add", session.path("music"))
        let lines = (10..<60).map { "[00:\($0).00]Line \($0) runs past the mill\n" }
        try session.file("music/dawn.lrc", lines.joined())
        let sentences = (1...12).map { "Sentence \($0) runs past the mill and under seven stone bridges." }
        let book = try session.file(
            "mill.md",
            "# The Mill\n\n" + sentences.prefix(8).joined(separator: " ") + "\n\n"
                + sentences.dropFirst(8).joined(separator: " "))
        try session.start(book, environment: try session.bundles("FliteSpeech"))
        try session.element("Pause the reading")
        try session.press("space")
        try session.element("Read aloud")
        // The reading may have come to the second word.
        for (key, sentence) in [("n", "Sentence 1 "), ("p", "The Mill")] {
            try session.press(key)
            try session.wait(sentence) { _ -> Bool? in
                try session.playerctl("metadata", "xesam:title").hasPrefix(sentence) ? true : nil
            }
        }
        try session.start(session.path("music/dawn.flac"))
        try session.element("dawn – Descant", role: "frame")
        try session.element("Pause")
        try session.click("Pause")
        try session.element("Play")
        try session.playerctl("position", "30.5")
    }

    private func expectPictures(_ appearance: String, in session: DesktopSession) throws {
        for (page, element) in [("Library", "Ben"), ("Lyrics", "Line 30 runs past the mill"), ("Reader", "Read aloud")]
        {
            try session.click(page, role: "page tab")
            try session.element(element)
            try session.waitForPicture("\(page.lowercased())-\(appearance)", isPage: true)
        }
    }

    @Test func theWindowShowsLibraryLyricsAndBookAsItDid() throws {
        let session = try DesktopSession()
        try startWithEverything(session)
        try expectPictures("light", in: session)
        try session.click("Preferences")
        try session.click("Appearance: As the desktop")
        try session.element("Dark")
        for key in ["Down", "Down", "Return"] { try session.press(key) }
        try session.element("Appearance: Dark")
        try session.press("Escape")
        try expectPictures("dark", in: session)
        #expect(session.errors == "")
    }
}
