import DescantTestSupport
import Foundation
import Testing

extension DesktopPlayerTests {
    /// Writes words of which one line is sung each second.
    private func words(_ file: String, _ word: String, in session: DesktopSession) throws {
        let lines = (0..<50).map { "[00:\($0 < 10 ? "0" : "")\($0).00]\(word) \($0)\n" }
        try session.file(file, lines.joined())
    }

    /// The place of the lyrics' line that is marked as sung.
    private func sungLine(_ elements: [DesktopSession.Element]) -> DesktopSession.Element? {
        let list = elements.drop { $0.role != "list" || $0.name != "Lyrics" }
        guard let place = list.firstIndex(where: { $0.role == "list item" && $0.selected }) else { return nil }
        return list[place...].first { $0.role == "label" }
    }

    /// Waits until a line is marked and lies in the middle of the page.
    private func waitForSungLine(_ name: String, in session: DesktopSession) throws {
        try session.wait("the line \(name) in the middle") { elements -> Bool? in
            guard let line = sungLine(elements), line.name == name else { return nil }
            // The page is 527 pixels high.
            return (200..<420).contains(line.y + line.height / 2) ? true : nil
        }
    }

    @Test func theLineThatIsSungIsMarkedAndInSight() throws {
        let session = try DesktopSession()
        let files = try ["a", "b", "c"].map { try session.tone("\($0).wav") }
        try words("a.lrc", "Line", in: session)
        try words("b.lrc", "Verse", in: session)
        try session.start(files[0], files[1], files[2])
        try session.element("a – Descant", role: "frame")
        try session.element("Pause")
        try session.press("space")
        try session.element("Play")
        try session.playerctl("position", "30.5")
        // The page is opened in the middle of the song.
        try session.click("Lyrics", role: "page tab")
        try waitForSungLine("Line 30", in: session)
        // A click goes to where a line is sung.
        try session.click("Line 33", role: "label")
        try waitForSungLine("Line 33", in: session)
        let place = Double(try session.playerctl("position")) ?? 0
        #expect(abs(place - 33) < 0.1, "\(place)")
        // Another song of as many lines while another page is shown.
        try session.click("Playlist", role: "page tab")
        try session.click("Next track")
        try session.element("b – Descant", role: "frame")
        try session.playerctl("position", "40.5")
        try session.click("Lyrics", role: "page tab")
        try waitForSungLine("Verse 40", in: session)
        try session.click("Next track")
        try session.element("No lyrics", role: "label")
        #expect(session.errors == "")
    }

    @Test func wordsOfTagsAreShownWithoutAMark() throws {
        let session = try DesktopSession()
        try session.run(
            "ffmpeg", "-v", "error", "-i", try session.tone("tone.wav"), "-metadata", "LYRICS=First words\nLast words",
            session.path("a.flac"))
        try session.start(session.path("a.flac"))
        try session.element("a – Descant", role: "frame")
        try session.click("Lyrics", role: "page tab")
        try session.element("First words", role: "label")
        // A line without a time is no place to go to.
        try session.playerctl("position", "20")
        try session.click("Last words", role: "label")
        #expect((Double(try session.playerctl("position")) ?? 0) >= 19)
        #expect(try sungLine(session.elements()) == nil)
        #expect(session.errors == "")
    }
}
