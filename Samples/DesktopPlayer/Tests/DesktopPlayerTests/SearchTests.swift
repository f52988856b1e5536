import DescantTestSupport
import Foundation
import Testing

/// Searches by the keyboard alone.
extension DesktopPlayerTests {
    @Test func enterPlaysWhatTheFilterLeaves() async throws {
        let session = try DesktopSession()
        let names = ["dawn", "noon", "dusk", "dust"]
        for (name, frequency) in zip(names, [500, 600, 1_000, 700]) {
            try session.tone("\(name).wav", frequency: Double(frequency))
        }
        try session.startList(names)
        try session.click("Sound", role: "page tab")
        // The list comes with its filter, and Enter may come at once.
        try session.press("ctrl+f")
        try session.wait("the field") { $0.first { $0.name == "Filter the playlist" && $0.width > 0 } }
        try session.press("d", "u", "s", "Return")
        try session.element("dusk – Descant", role: "frame")
        try session.waitForTitles(["dusk", "dust"])
        #expect(try await waitForTones(session, 500, 1_000) { $0[0] < 0.001 && $0[1] > 0.1 })
        // The arrow keys lead to the other lines.
        try session.press("Down", "Down", "Return")
        try session.element("dust – Descant", role: "frame")
        try session.press("ctrl+f", "ctrl+a", "x", "Return")
        try session.waitForTitles([])
        try session.element("dust – Descant", role: "frame")
        try session.element("Nothing contains “x”", role: "label")
        try session.element("0 of 4 tracks", role: "label")
        try session.press("Escape")
        try session.waitForTitles(names)
        try session.wait("no message") { $0.contains { $0.name == "Nothing contains “x”" } ? nil : true }
        // The key ends the filter from the list, too, and the field is empty then.
        try session.press("ctrl+f", "d", "u", "Return")
        try session.element("dusk – Descant", role: "frame")
        try session.press("Down", "Down", "Escape")
        try session.waitForTitles(names)
        try session.press("ctrl+f", "n", "o")
        try session.waitForTitles(["noon"])
        try session.element("1 of 4 tracks", role: "label")
        #expect(session.errors == "")
    }

    /// Waits until the line of a track lies within the playlist's part that is seen.
    @discardableResult
    private func waitForLineInSight(
        _ title: String, in session: DesktopSession
    ) throws -> DesktopSession.Element {
        try session.wait("the line \(title) in sight") { elements in
            let list = elements.first { $0.role == "list" && $0.name == "Playlist" }
            guard let list, list.height > 0 else { return nil }
            // The title beside the cover lies at the left of the list.
            return elements.first { label in
                label.name == title && label.role == "label" && label.x > list.x && label.height > 0
                    && label.y >= list.y && label.y + label.height <= list.y + list.height
            }
        }
    }

    @Test func thePresentTrackIsBroughtIntoSight() throws {
        let session = try DesktopSession()
        let names = (10..<70).map(String.init)
        let tone = try session.tone("10.wav", seconds: 20)
        for name in names.dropFirst() { try session.run("cp", tone, session.path("\(name).wav")) }
        try session.start(try session.file("list.m3u", names.map { "\($0).wav\n" }.joined()))
        try session.element("10 – Descant", role: "frame")
        try session.click(try waitForLineInSight("10", in: session))
        try session.press("End", "Return")
        try session.element("69 – Descant", role: "frame")
        try session.element("Pause")
        try session.press("space")
        try session.element("Play")
        // A filter leaves the list at its beginning, and so does a key.
        try session.press("ctrl+f", "1", "2")
        try session.waitForTitles(["12"])
        try session.press("Escape")
        try waitForLineInSight("69", in: session)
        try session.press("Home")
        try waitForLineInSight("10", in: session)
        try session.press("ctrl+j")
        try waitForLineInSight("69", in: session)
        try session.press("Home")
        try waitForLineInSight("10", in: session)
        try session.click("Sound", role: "page tab")
        try session.click(
            try session.wait("the title beside the cover") { elements in
                elements.first { $0.name == "69" && $0.role == "label" && $0.x < 250 && $0.width > 0 }
            })
        try waitForLineInSight("69", in: session)
        // The queue that was kept is shown where it goes on.
        try session.press("ctrl+q")
        #expect(try session.waitForEnd() == 0)
        try session.start()
        try waitForLineInSight("69", in: session)
        #expect(session.errors == "")
    }

    /// A folder leads to no lines with which the keyboard would come back to the list.
    @Test func whatASearchFindsLeavesItTheKeyboardAfterAFolderWasActivated() throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("music"))
        for name in ["dawn", "noon"] { try session.tone("music/\(name).wav") }
        try session.run(TestProgram.named("descant-library").path, "add", session.path("music"))
        try session.start()
        try session.click("Library", role: "page tab")
        try session.click("View: Artists")
        try session.element("Folders")
        for key in ["End", "Return"] { try session.press(key) }
        try session.click(try session.element("~/music", role: "label"), times: 2)
        try session.press("ctrl+f", "n")
        try session.element("Tracks with “n”", role: "label")
        try session.wait("the track") { $0.first { $0.role == "label" && $0.name.hasSuffix("noon") } }
        try session.press("o")
        try session.element("Tracks with “no”", role: "label")
        #expect(session.errors == "")
    }

    @Test func theFieldIsEmptyWhenWhatItHasFoundIsLeft() throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("music"))
        for name in ["dawn", "noon"] { try session.tone("music/\(name).wav") }
        try session.run(TestProgram.named("descant-library").path, "add", session.path("music"))
        try session.start()
        try session.click("Library", role: "page tab")
        try session.element("(no artist)", role: "label")
        try session.press("ctrl+f", "n", "o")
        try session.element("Tracks with “no”", role: "label")
        try session.click("Back")
        try session.element("(no artist)", role: "label")
        // A click selects nothing that the next letter would replace.
        try session.click("Search the library")
        try session.press("End", "d")
        try session.element("Tracks with “d”", role: "label")
        #expect(session.errors == "")
    }

    @Test func enterPlaysWhatTheLibraryHas() async throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("music"))
        for name in ["dawn", "noon", "dusk"] { try session.tone("music/\(name).wav") }
        try session.run(TestProgram.named("descant-library").path, "add", session.path("music"))
        try session.start(try session.tone("first.wav"))
        try session.element("first – Descant", role: "frame")
        try session.click("Library", role: "page tab")
        try session.element("Search the library")
        try session.press("ctrl+f", "n", "o", "Return")
        try session.element("noon – Descant", role: "frame")
        try session.element("Tracks with “no”", role: "label")
        try session.press("ctrl+a", "d", "u", "Return")
        try session.element("dusk – Descant", role: "frame")
        try session.press("ctrl+a", "x", "Return")
        try session.element("nothing in the library contains x", role: "label")
        try session.press("Escape")
        try session.click("Playlist", role: "page tab")
        try session.waitForTitles(["first", "noon", "dusk"])
        try session.element("dusk – Descant", role: "frame")
        #expect(session.errors == "")
    }
}
