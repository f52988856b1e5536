import DescantTestSupport
import Foundation
import Testing

/// The dialogs of the window, and the names by which screen readers know what is in it.
extension DesktopPlayerTests {
    /// Waits until a dialog has closed.
    private func waitForEnd(of title: String, in session: DesktopSession) throws {
        try session.wait("the end of \(title)") { elements -> Bool? in
            elements.contains { $0.name == title } ? nil : true
        }
    }

    @Test func escapeClosesTheDialogs() throws {
        let session = try DesktopSession()
        try session.start(try session.tone("a.wav"))
        try session.element("a – Descant", role: "frame")
        // Without a window manager the keyboard belongs to the window under the pointer.
        try session.run("xdotool", "mousemove", "300", "150")
        try session.press("F1")
        try session.element("Keyboard Shortcuts")
        try session.element("Play or pause", role: "label")
        try session.press("Escape")
        try waitForEnd(of: "Keyboard Shortcuts", in: session)
        // Caps Lock makes no difference.
        for keys in [["ctrl+o"], ["Caps_Lock", "ctrl+o", "Caps_Lock"]] {
            for key in keys { try session.press(key) }
            try session.element("Open Files")
            try session.press("Escape")
            try waitForEnd(of: "Open Files", in: session)
        }
        // The keyboard belongs to the player again.
        try session.press("space")
        try session.element("Play")
        try session.waitForTitles(["a"])
        #expect(session.errors == "")
    }

    @Test func filesAndFoldersAreChosen() throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("music"))
        for name in ["first", "second", "music/1", "music/2"] { try session.tone("\(name).wav") }
        try session.start()
        try session.click("Open Files…", role: "push button")
        try session.choose(session.path("first.wav"), in: "Open Files")
        try session.element("first – Descant", role: "frame")
        try session.press("ctrl+o")
        try session.choose(session.path("second.wav"), in: "Open Files")
        try session.element("second – Descant", role: "frame")
        try session.waitForTitles(["first", "second"])
        try session.click("Open a folder")
        try session.choose(session.path("music"), in: "Open a Folder")
        try session.element("1 – Descant", role: "frame")
        try session.waitForTitles(["first", "second", "1", "2"])
        // A dialog that is cancelled adds nothing, and the next one opens as the first did.
        try session.click("Open files")
        try session.element("Open Files")
        try session.run("xdotool", "mousemove", "300", "150")
        try session.press("Escape")
        try waitForEnd(of: "Open Files", in: session)
        try session.click("Open files")
        try session.choose(session.path("first.wav"), in: "Open Files")
        try session.waitForTitles(["first", "second", "1", "2", "first"])
        #expect(session.errors == "")
    }

    @Test func anAddressIsTypedAndPlayed() throws {
        let session = try DesktopSession()
        let file = URL(fileURLWithPath: try session.tone("a new song.wav"))
        try session.start()
        try session.element("Nothing to play yet")
        try session.press("ctrl+l")
        let field = try session.element("Address")
        // Without a window manager the keyboard belongs to the window under the pointer.
        try session.click(field)
        try session.type("a song")
        try session.press("Return")
        #expect(try !session.element("Open", role: "push button").enabled)
        try session.press("ctrl+a")
        try session.type(file.absoluteString)
        try session.wait("the button") { $0.first { $0.name == "Open" && $0.role == "push button" && $0.enabled } }
        try session.press("Return")
        try waitForEnd(of: "Open Address", in: session)
        try session.element("a new song – Descant", role: "frame")
        try session.element("Pause")
        try session.waitForTitles(["a new song"])
        #expect(session.errors == "")
    }

    @Test func everythingThatTakesTheKeyboardHasAName() throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("music"))
        try session.tone("music/noon.wav")
        try session.run(TestProgram.named("descant-library").path, "add", session.path("music"))
        try session.file("a.lrc", "[00:01.00]A line\n")
        let book = try session.file("book.txt", "It was noon.\n")
        let (first, second) = (try session.tone("a.wav"), try session.tone("b.wav"))
        try session.start(first, second, environment: try session.bundles("FliteSpeech"))
        try session.waitForTitles(["a", "b"])
        try session.start(book)
        let pages = [("Reader", "Open a book"), ("Playlist", "Save the playlist"), ("Library", "Search the library")]
        for (page, element) in pages + [("Sound", "Speed"), ("Lyrics", "Position")] {
            try session.click(page, role: "page tab")
            try session.element(element)
            try expectNames(on: page, in: session)
        }
        let dialogs = [("Preferences", "Appearance: As the desktop"), ("Keyboard shortcuts", "Play or pause")]
        for (button, dialog) in dialogs {
            try session.click(button)
            try session.element(dialog)
            try expectNames(on: button, in: session)
            try session.press("Escape")
        }
        #expect(session.errors == "")
    }

    private func expectNames(on page: String, in session: DesktopSession) throws {
        let elements = try session.elements()
        #expect(elements.count { $0.focusable } > 3, "\(page)")
        // GTK calls what has no name by its class, such as parts of its own widgets, which are not reached by keys.
        let nameless = elements.filter {
            !["filler", "label", "scroll bar"].contains($0.role)
                && ($0.focusable && $0.name.isEmpty || $0.name.hasPrefix("Gtk"))
        }
        #expect(nameless.map { "\($0.role) \($0.name)" } == [], "\(page)")
    }
}
