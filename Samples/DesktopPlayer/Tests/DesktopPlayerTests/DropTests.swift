import DescantTestSupport
import Foundation
import Testing

/// Files that are dragged from another program.
extension DesktopPlayerTests {
    @Test func filesOfAnotherProgramAreDropped() async throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("music"))
        for name in ["first", "100% noon #1", "dusk", "music/1", "music/2"] { try session.tone("\(name).wav") }
        try session.start()
        // Dropped into an empty window, they are played.
        try session.drop(["first.wav", "dusk.wav"], on: try session.element("Open Files…", role: "push button"))
        try session.waitForTitles(["first", "dusk"])
        try session.element("first – Descant", role: "frame")
        #expect(try await waitForLevel(session, 0.05...) > 0.05)
        // On the upper half of a line they come before it, on the lower half behind it, and below all lines to the end.
        try session.drop(["100% noon #1.wav"], on: try session.element("dusk", role: "label"), at: (0.1, 0.1))
        try session.waitForTitles(["first", "100% noon #1", "dusk"])
        try session.drop(["music"], on: try session.element("100% noon #1", role: "label"), at: (0.1, 0.9))
        try session.waitForTitles(["first", "100% noon #1", "1", "2", "dusk"])
        try session.drop(["first.wav"], on: try session.element("Playlist", role: "list"), at: (0.5, 0.95))
        try session.waitForTitles(["first", "100% noon #1", "1", "2", "dusk", "first"])
        try session.press("ctrl+z")
        try session.waitForTitles(["first", "100% noon #1", "1", "2", "dusk"])
        // What was played goes on.
        try session.element("first – Descant", role: "frame")
        // Of all files of an album the tracks are meant.
        try session.file("notes.txt", "no sound")
        try session.file("list.m3u", "dusk.wav\n")
        try session.drop(
            ["dusk.wav", "notes.txt", "list.m3u"], on: try session.element("Playlist", role: "list"), at: (0.5, 0.95))
        try session.waitForTitles(["first", "100% noon #1", "1", "2", "dusk", "dusk"])
        try session.element("1 file is left out: neither sound nor a playlist")
        try session.press("ctrl+z")
        try session.waitForTitles(["first", "100% noon #1", "1", "2", "dusk"])
        // Other pages take files, too.
        try session.click("Sound", role: "page tab")
        try session.drop(["dusk.wav"], on: try session.element("Overlay", role: "label"))
        try session.click("Playlist", role: "page tab")
        try session.waitForTitles(["first", "100% noon #1", "1", "2", "dusk", "dusk"])
        #expect(session.errors == "")
    }
}
