import DescantTestSupport
import Foundation
import Testing

extension DesktopPlayerTests {
    /// The colours of a cover, from the left above.
    private static let quarters = ["e01b24", "33d17a", "3584e4", "f6d32d"]

    /// Draws a picture of four fields.
    private func drawCover(_ file: String, _ colors: [String], in session: DesktopSession) throws {
        let fields = colors.map { "xc:#\($0)" }
        try session.run(
            "convert", "-size", "120x120", fields[0], fields[1], "+append", "(", fields[2], fields[3], "+append", ")",
            "-append", session.path(file))
    }

    /// Waits until the window shows a cover of these fields.
    private func waitForCover(_ colors: [String], in session: DesktopSession) throws {
        let cover = try session.element("Cover", role: "image")
        try session.wait("the cover \(colors)") { _ -> Bool? in
            // The cells between hold the borders of the fields.
            let cells = try session.colors(of: .init(around: [cover]), columns: 4, rows: 4).cells
            let shown = [5, 6, 9, 10].map { cells[$0] }
            let isShown = zip(shown, colors.compactMap { ScreenPicture.Color($0) }).allSatisfy {
                $0.distance(to: $1) < 12
            }
            return isShown ? true : nil
        }
    }

    @Test func coversOfTagsAndFoldersAreShown() throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("tagged"), session.path("beside"), session.path("bare"))
        try drawCover("art.png", Self.quarters, in: session)
        try drawCover("beside/folder.jpg", Self.quarters.reversed(), in: session)
        try session.run(
            "ffmpeg", "-v", "error", "-i", try session.tone("tone.wav"), "-i", session.path("art.png"), "-map", "0",
            "-map", "1", "-disposition:v", "attached_pic", session.path("tagged/a.flac"))
        try session.tone("beside/b.wav")
        try session.tone("bare/c.wav")
        try session.start(session.path("tagged/a.flac"), session.path("beside/b.wav"), session.path("bare/c.wav"))
        try session.element("a – Descant", role: "frame")
        try waitForCover(Self.quarters, in: session)
        try session.press("space")
        try session.element("Play")
        try session.playerctl("position", "0")
        try session.element("0:00", role: "label")
        try session.waitForPicture("track-light")
        try session.press("n")
        try session.element("b – Descant", role: "frame")
        try waitForCover(Self.quarters.reversed(), in: session)
        try session.press("n")
        try session.element("c – Descant", role: "frame")
        let empty = try session.element("No cover", role: "image")
        try session.wait("the end of the cover") { _ -> Bool? in
            let cells = try session.colors(of: .init(around: [empty]), columns: 4, rows: 4).cells
            return cells.allSatisfy { abs($0.red - $0.blue) < 12 } ? true : nil
        }
        #expect(session.errors == "")
    }

    @Test func anUnreadableCoverIsNone() throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("music"))
        try session.file("music/cover.png", "\u{89}PNG, or so it says")
        try session.start(try session.tone("music/a.wav"))
        try session.element("a – Descant", role: "frame")
        try session.element("Pause")
        try session.element("No cover", role: "image")
        #expect(session.errors == "")
    }

    @Test func theWindowLooksAsItDid() throws {
        let session = try DesktopSession()
        try session.start()
        try session.element("Nothing to play yet")
        try session.waitForPicture("empty-light")
        try session.click("Sound", role: "page tab")
        try session.element("Equaliser", role: "check box")
        try session.waitForPicture("sound-light")
        try session.click("Preferences")
        try session.click("Appearance: As the desktop")
        try session.element("Dark")
        for key in ["Down", "Down", "Return"] { try session.press(key) }
        try session.element("Appearance: Dark")
        try session.press("Escape")
        try session.waitForPicture("sound-dark")
        try session.click("Playlist", role: "page tab")
        try session.element("Open Files…")
        try session.waitForPicture("empty-dark")
        // The choice is kept.
        try session.press("ctrl+q")
        #expect(try session.waitForEnd() == 0)
        try session.start()
        try session.element("Nothing to play yet")
        try session.waitForPicture("empty-dark")
        #expect(session.errors == "")
    }

    @Test func theWindowFitsBesideAnother() throws {
        let session = try DesktopSession()
        try session.start(try session.tone("a.wav"), try session.tone("b.wav"))
        try session.element("a – Descant", role: "frame")
        for window in try session.run("xdotool", "search", "--name", "Descant").split(separator: "\n") {
            try session.run("xdotool", "windowsize", String(window), "810", "560")
        }
        try session.wait("a narrow window") { elements in
            elements.first { $0.role == "frame" && (1...810).contains($0.width) }
        }
        // The title and the time of a line without further names are at the same height.
        try session.waitForTitles(["a", "b"])
        let title = try session.element("b", role: "label")
        let time = try session.wait("the time of the line") { elements in
            elements.last { $0.name == "1:00" && abs($0.y - title.y) < 30 }
        }
        #expect(abs((title.y + title.height / 2) - (time.y + time.height / 2)) < 4)
        // The next start has its size and its page.
        try session.click("Sound", role: "page tab")
        try session.element("Crossfade in seconds", role: "spin button")
        let left = try session.wait("the window") { elements in elements.first { $0.role == "frame" } }
        try session.press("ctrl+q")
        #expect(try session.waitForEnd() == 0)
        try session.start()
        try session.element("Crossfade in seconds", role: "spin button")
        let next = try session.wait("the window") { elements in elements.first { $0.role == "frame" } }
        #expect((next.width, next.height) == (left.width, left.height))
        #expect(session.errors == "")
    }

    @Test func theEqualizerIsDrawnAsItIsSet() throws {
        let session = try DesktopSession()
        try session.start()
        try session.click("Sound", role: "page tab")
        try session.click("Equaliser", role: "check box")
        let bands = try session.wait("the bands") { elements in
            let found = elements.filter { $0.name.hasSuffix("hertz") && $0.enabled && $0.height > 0 }
            return found.count == 10 ? found : nil
        }
        for (band, share) in zip(bands, [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 0.65, 0.35, 0.05]) {
            try session.click(band, at: (0.5, share))
        }
        try session.waitForPicture("bands-curve", of: bands, columns: 40, rows: 8)
        try session.click("Flat", role: "push button")
        try session.waitForPicture("bands-flat", of: bands, columns: 40, rows: 8)
        let gains = try session.elements().filter { $0.name.hasSuffix("hertz") }.map { $0.value ?? 1 }
        #expect(gains == Array(repeating: 0, count: 10))
        #expect(session.errors == "")
    }

    /// A picture is of use when none of the others passes for it.
    @Test(arguments: [
        ["empty-light", "sound-light", "empty-dark", "sound-dark", "track-light"], ["bands-curve", "bands-flat"],
        ["library-light", "lyrics-light", "reader-light", "library-dark", "lyrics-dark", "reader-dark"],
    ])
    func picturesAreToldApart(_ names: [String]) throws {
        let pictures = try names.map { try DesktopSession.keptPicture($0) }
        for (name, picture) in zip(names, pictures) {
            for (other, otherPicture) in zip(names, pictures) where other != name {
                let difference = picture.difference(from: otherPicture)
                #expect(!difference.isSmall, "\(name), \(other): \(difference)")
            }
        }
    }

    @Test func theWindowFollowsTheColorsOfTheDesktop() throws {
        let session = try DesktopSession()
        try session.startPortal(scheme: 1)
        try session.start()
        try session.element("Nothing to play yet")
        try session.waitForPicture("empty-dark")
        try session.setScheme(0)
        try session.waitForPicture("empty-light")
        try session.setScheme(1)
        try session.waitForPicture("empty-dark")
        // A choice of the person comes before that of the desktop.
        try session.click("Preferences")
        try session.click("Appearance: As the desktop")
        try session.element("Light")
        for key in ["Down", "Return"] { try session.press(key) }
        try session.element("Appearance: Light")
        try session.press("Escape")
        try session.waitForPicture("empty-light")
        #expect(session.errors == "")
    }
}
