import DescantTestSupport
import Foundation
import Testing

/// The window without a pointer: Tab reaches every control, in the order in which the controls lie, and of a list one line.
extension DesktopPlayerTests {
    /// What has the keyboard.
    private func focused(_ elements: [DesktopSession.Element]) -> DesktopSession.Element? {
        elements.last { $0.focused && $0.role != "frame" }
    }

    /// Presses Tab until the keyboard is where it was first.
    ///
    /// - Returns: The names of what has had the keyboard, from the beginning of the window on, lists without their choice.
    private func tabOrder(in session: DesktopSession) throws -> [String] {
        var order: [String] = []
        var last: DesktopSession.Element?
        while order.count < 100 {
            try session.press("Tab")
            let next = try session.wait("the next control after \(order.last ?? "none")") { elements in
                focused(elements).flatMap { $0.name == last?.name && $0.role == last?.role ? nil : $0 }
            }
            last = next
            let name = String(next.name.prefix { $0 != ":" })
            if name == order.first { break }
            order.append(name)
        }
        let start = order.firstIndex(of: "Open files") ?? 0
        return Array(order[start...] + order[..<start])
    }

    @Test func tabReachesEveryControl() throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("music"))
        try session.tone("music/noon.wav")
        try session.run(TestProgram.named("descant-library").path, "add", session.path("music"))
        try session.file("a.lrc", "[00:01.00]A line\n[00:02.00]Another line\n")
        let book = try session.file("book.txt", "It was noon.\n")
        try session.start(
            try session.tone("a.wav"), try session.tone("b.wav"), environment: try session.bundles("FliteSpeech"))
        try session.waitForTitles(["a", "b"])
        // What begins last is heard.
        try session.element("Pause")
        // The book pauses the music, and is read to its end.
        try session.start(book)
        try session.element("Play")
        try session.element("Read aloud")
        let pages = ["Playlist", "Library", "Lyrics", "Sound", "Reader"]
        let contents = [
            ["Filter the playlist", "Save the playlist", "Undo", "a, 1"],
            [
                "View", "Search the library", "Add a folder to the library", "Play (no artist)",
                "Add (no artist) to the playlist",
            ],
            ["A line"],
            [
                "Crossfade in seconds", "Curve of crossfades", "Equal loudness", "Choose Overlay…",
                "Volume of the overlay", "Equaliser", "Preset of the equaliser", "Speed", "Sleep timer",
            ],
            [
                "Open a book", "Text of the book", "Previous sentence", "Read aloud", "Next sentence", "Speed", "Voice",
            ],
        ]
        for (page, content) in zip(pages, contents) {
            try session.click(page, role: "page tab")
            try session.element(content[0])
            let header = ["Open files", "Open a folder"] + pages + ["Keyboard shortcuts", "Preferences"]
            let footer = [
                "Position", "Shuffle is off", "Previous track", "Play", "Next track", "Repeat is off", "Mute", "Volume",
            ]
            let order = try tabOrder(in: session)
            #expect(order == header + content + footer, "\(page): \(order)")
        }
        #expect(session.errors == "")
    }

    @Test func theLibraryIsPlayedByKeys() throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("music"))
        for (title, artist) in [("dawn", "Ann"), ("dusk", "Ben")] {
            try session.run(
                "ffmpeg", "-v", "error", "-i", try session.tone("\(title).wav"), "-metadata", "title=\(title)",
                "-metadata", "artist=\(artist)", "-metadata", "album=Day", session.path("music/\(title).flac"))
        }
        try session.run(TestProgram.named("descant-library").path, "add", session.path("music"))
        try session.start()
        try session.click("Library", role: "page tab")
        try session.element("Ben", role: "label")
        try session.press("ctrl+f", "Tab", "Tab", "Tab")
        try session.wait("the last button of the line") { focused($0)?.name == "Add Ann to the playlist" ? true : nil }
        // Tab leaves the list, and comes back to the line.
        try session.press("Tab")
        try session.wait("what is below the list") { focused($0)?.name == "Shuffle is off" ? true : nil }
        try session.press("shift+Tab")
        try session.wait("a button of the line") { focused($0)?.name.contains(" Ann") == true ? true : nil }
        try session.press("Down")
        // Each level that is opened has the keyboard.
        for line in ["Ben, 1 album", "Day, 1 track", "dusk, 1:00"] {
            try session.wait(line) { focused($0)?.name == line ? true : nil }
            try session.press("Return")
        }
        try session.element("dusk – Descant", role: "frame")
        // Back to the line that each level was opened from.
        for (key, line) in [("BackSpace", "Day, 1 track"), ("alt+Left", "Ben, 1 album")] {
            try session.press(key)
            try session.wait(line) { focused($0)?.name == line ? true : nil }
        }
        try session.press("Return")
        try session.element("Day", role: "label")
        try session.run("xdotool", "mousemove", "600", "400", "click", "8")
        try session.element("Ann", role: "label")
        // A view that is chosen again goes to its top.
        try session.open("Ben", until: "Day")
        try session.click("View: Artists")
        try session.element("Folders")
        try session.press("Return")
        try session.element("Ann", role: "label")
        #expect(session.errors == "")
    }
}
