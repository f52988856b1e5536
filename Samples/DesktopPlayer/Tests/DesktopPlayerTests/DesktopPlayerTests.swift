import DescantTestSupport
import Foundation
import Testing

/// The desktop player under a person's hands: keys and pointer on a display without a screen, names as a screen reader says them, and the
/// sound that is heard.
@Suite(.timeLimit(.minutes(5)), .serialized) struct DesktopPlayerTests {
    /// The level of the sound now.
    func level(_ session: DesktopSession) async throws -> Float {
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: session.sound)
        try await recording.wait(frames: 14_400)
        let samples = await recording.stop().suffix(9_600)
        return (samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))).squareRoot()
    }

    /// Waits until the sound has a level.
    func waitForLevel(_ session: DesktopSession, _ range: PartialRangeFrom<Float>) async throws -> Float {
        var heard: Float = -1
        for _ in 0..<100 where !range.contains(heard) { heard = try await level(session) }
        return heard
    }

    func waitForLevel(_ session: DesktopSession, below limit: Float) async throws -> Float {
        var heard = limit
        for _ in 0..<100 where heard >= limit { heard = try await level(session) }
        return heard
    }

    func waitForSilence(_ session: DesktopSession) async throws -> Float {
        var heard: Float = 1
        for _ in 0..<100 where heard > 0.0001 { heard = try await level(session) }
        return heard
    }

    @Test func keysPlayPauseAndGoOn() async throws {
        let session = try DesktopSession()
        let files = try ["a", "b", "c"].map { try session.tone("\($0).wav") }
        try session.start(files[0], files[1], files[2])
        // A track is heard when the window has its name.
        try session.element("a – Descant", role: "frame")
        try session.waitForTitles(["a", "b", "c"])
        #expect(try await waitForLevel(session, 0.05...) > 0.05)
        try session.press("space")
        try session.element("Play")
        #expect(try await waitForSilence(session) <= 0.0001)
        try session.press("space")
        try session.element("Pause")
        #expect(try await waitForLevel(session, 0.05...) > 0.05)
        try session.press("n")
        try session.element("b – Descant", role: "frame")
        try session.press("p")
        try session.element("a – Descant", role: "frame")
        try session.press("m")
        try session.element("Unmute")
        #expect(try await waitForSilence(session) <= 0.0001)
        try session.press("m")
        try session.press("r", "r")
        try session.element("Repeats the track")
        try session.press("s")
        try session.element("Shuffle is on")
        #expect(try session.playerctl("loop") == "Track" && session.playerctl("shuffle") == "On")
        try session.press("ctrl+q")
        #expect(try session.waitForEnd() == 0)
        #expect(session.errors == "")
    }

    @Test func theListIsEdited() async throws {
        let session = try DesktopSession()
        let names = ["one", "two", "three", "four"]
        for name in names { try session.tone("\(name).wav") }
        try session.startList(names)
        // Two lines are selected and removed by a key, by a button; a key and the button of the message bring them back.
        try session.select("two", to: "three")
        try session.press("Delete")
        try session.element("removed 2 tracks")
        try session.waitForTitles(["one", "four"])
        try session.wait("the keyboard at the next line") { elements in
            elements.first { $0.focused && $0.selected && $0.name.hasPrefix("four") }
        }
        try session.press("ctrl+z")
        try session.waitForTitles(names)
        try session.select("two", to: "three")
        try session.click("Remove the selected tracks")
        try session.waitForTitles(["one", "four"])
        let message = try session.element("removed 2 tracks")
        try session.click(
            try session.wait("the button of the message") { elements in
                elements.first { $0.name == "Undo" && abs($0.y - message.y) < message.height }
            })
        try session.waitForTitles(names)
        try session.drag("three", through: "four", to: "two", until: ["one", "three", "four", "two"])
        try session.press("ctrl+z")
        try session.waitForTitles(names)
        // The tracks that were moved back are selected, both.
        try session.select("one")
        try session.select("four")
        for titles in [["one", "two", "four", "three"], ["one", "four", "two", "three"]] {
            try session.press("alt+Up")
            try session.waitForTitles(titles)
        }
        try session.drag("three", to: "four", until: ["one", "three", "four", "two"])
        // Below the last line.
        try session.drag("three", to: nil, until: ["one", "four", "two", "three"])
        try session.press("ctrl+z")
        try session.waitForTitles(["one", "three", "four", "two"])
        #expect(session.errors == "")
    }

    @Test func quickMovesAreNotLost() async throws {
        let session = try DesktopSession()
        let names = ["one", "two", "three", "four", "five", "six"]
        for name in names { try session.tone("\(name).wav") }
        try session.startList(names)
        try session.select("six")
        for _ in 0..<5 {
            try session.press("alt+Up", "alt+Up", "alt+Up", "alt+Up")
            try session.waitForTitles(["one", "six", "two", "three", "four", "five"])
            try session.press("alt+Down", "alt+Down", "alt+Down", "alt+Down")
            try session.waitForTitles(names)
        }
        try session.press("alt+Up")
        try session.waitForTitles(["one", "two", "three", "four", "six", "five"])
        try session.wait("the keyboard at the moved line") { elements in
            elements.first { $0.focused && $0.name.hasPrefix("six") }
        }
        #expect(session.errors == "")
    }

    /// The place that is kept, in seconds; `nil` before the first one.
    private func keptPlace(_ session: DesktopSession) throws -> Double? {
        struct Place: Decodable { let position: Double }
        let file = URL(fileURLWithPath: session.path("state/descant/desktop/place.json"))
        return try (try? Data(contentsOf: file)).map { try JSONDecoder().decode(Place.self, from: $0).position }
    }

    @Test func queueAndPlaceSurviveACrash() async throws {
        let session = try DesktopSession()
        let files = try ["a", "b", "c"].map { try session.tone("\($0).wav") }
        try session.start(files[0], files[1], files[2])
        try session.element("a – Descant", role: "frame")
        try session.press("n")
        try session.element("b – Descant", role: "frame")
        try session.playerctl("position", "20")
        try session.wait("a kept place behind the seek") { _ in try keptPlace(session).flatMap { $0 > 22 ? $0 : nil } }
        try session.signal(SIGKILL)
        _ = try session.waitForEnd()
        // Until its end it has played on, and kept its place.
        let place = try #require(try keptPlace(session))
        try session.start()
        try session.waitForTitles(["a", "b", "c"])
        let clock = ContinuousClock()
        let pressed = clock.now
        try session.press("space")
        try session.element("b – Descant", role: "frame")
        #expect(try await waitForLevel(session, 0.05...) > 0.05)
        let now = Double(try session.playerctl("position")) ?? 0
        // It has played since the key at most.
        let played = (clock.now - pressed) / .seconds(1)
        #expect(now > place - 1 && now < place + played + 1, "\(place) s, then \(now) s, \(played) s after the key")
        try session.press("space")
        try session.element("Play")
        // The window comes to the front when a remote control asks for it.
        #expect(try session.remoteProperty("CanRaise", of: "org.mpris.MediaPlayer2").contains("true"))
        try session.remote("org.mpris.MediaPlayer2.Raise")
        #expect(session.errors == "")
    }

    @Test(arguments: ["queue.tsv", "place.json", "preferences.json"]) func damagedStateIsSetAsideAndTold(file: String)
        throws
    {
        let session = try DesktopSession()
        try session.run("mkdir", "-p", session.path("state/descant/desktop"))
        let damage = "no state, but a text"
        try session.file("state/descant/desktop/\(file)", damage)
        try session.start()
        let message = try session.wait("the message") { elements in
            elements.first { $0.name.contains("/\(file) is damaged") && $0.width > 0 }
        }
        #expect(message.name.hasSuffix("it was set aside as \(file).damaged"))
        let aside = session.path("state/descant/desktop/\(file).damaged")
        #expect(try String(contentsOfFile: aside, encoding: .utf8) == damage)
        // The window can be used, and what is kept from now on is there at the next start.
        try session.click("Close the message")
        try session.press("ctrl+o")
        try session.choose(try session.tone("a.wav"), in: "Open Files")
        try session.element("a – Descant", role: "frame")
        try session.press("ctrl+q")
        #expect(try session.waitForEnd() == 0)
        try session.start()
        try session.waitForTitles(["a"])
        try session.wait("no message") { $0.contains { $0.name.contains("damaged") } ? nil : true }
        #expect(session.errors == "")
    }

    @Test func pointerSeeksAndSetsTheEqualizer() async throws {
        let session = try DesktopSession()
        try session.start(try session.tone("a.wav", frequency: 62.5))
        try session.element("a – Descant", role: "frame")
        let full = try await waitForLevel(session, 0.05...)
        // A click into the middle of the seek bar.
        let clock = ContinuousClock()
        let clicked = clock.now
        try session.click("Position", role: "slider")
        var place = 0.0
        while place < 25 { place = Double(try session.playerctl("position")) ?? 0 }
        // It has played on since the click at most.
        #expect(place < 35 + (clock.now - clicked) / .seconds(1))
        // On a busy machine what follows takes longer than the rest of the track.
        try session.playerctl("loop", "Track")
        try session.click(try session.element("Volume", role: "slider"), at: (0.3, 0.5))
        try session.wait("a lower volume") { elements in
            elements.first { $0.name == "Volume" && $0.role == "slider" && (0.05..<0.6).contains($0.value ?? 1) }
        }
        let soft = try await waitForLevel(session, below: 0.7 * full)
        #expect(soft > 0.001 && soft < 0.7 * full, "\(full), then \(soft)")
        try session.click("Sound", role: "page tab")
        // A list has the focus on its button, which is read with the choice.
        let loudness = try session.element("Equal loudness: Off")
        try session.click(loudness)
        try session.element("Of albums")
        for key in ["Down", "Down", "Return"] { try session.press(key) }
        try session.element("Equal loudness: Of albums")
        try session.click("Equaliser", role: "check box")
        let band = try session.wait("the bands") { elements in
            elements.first { $0.name == "64 hertz" && $0.enabled && $0.height > 0 }
        }
        try session.click(band, at: (0.5, 0.95))
        try session.wait("the gain of the band") { elements in
            elements.first { $0.name == "64 hertz" && $0.value ?? 0 < -6 }
        }
        #expect(try await waitForLevel(session, below: 0.7 * soft) < 0.7 * soft)
        try session.press("ctrl+q")
        #expect(try session.waitForEnd() == 0)
        try session.start()
        try session.click("Sound", role: "page tab")
        try session.element("Equal loudness: Of albums")
        #expect(session.errors == "")
    }

    @Test func theLibraryIsOpenedSearchedAndPlayed() async throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("music"))
        for (name, artist, album) in [("dawn", "Ann", "Day"), ("noon", "Ann", "Day"), ("dusk", "Ben", "Night")] {
            let wave = try session.tone("\(name).wav")
            try session.run(
                "ffmpeg", "-v", "error", "-i", wave, "-metadata", "title=\(name)", "-metadata", "artist=\(artist)",
                "-metadata",
                "album=\(album)", session.path("music/\(name).flac"))
        }
        try session.run(TestProgram.named("descant-library").path, "add", session.path("music"))
        try session.start()
        try session.click("Library", role: "page tab")
        try session.element("Ann", role: "label")
        try session.open("Ben", until: "Night")
        try session.open("Night", until: "dusk")
        // A track is played behind the present one.
        try session.open("dusk", until: "dusk – Descant", role: "frame")
        #expect(try await waitForLevel(session, 0.05...) > 0.05)
        try session.click("Back")
        try session.click("Back")
        // All of an artist is added by the button of the line.
        try session.click("Add Ann to the playlist")
        try session.element("added 2 tracks of Ann to the playlist")
        try session.press("ctrl+f")
        try session.type("no")
        try session.element("Ann – noon", role: "label")
        try session.wait("nothing else") { $0.contains { $0.name == "Ben" && $0.role == "label" } ? nil : true }
        try session.press("Escape")
        try session.element("Ben", role: "label")
        try session.click("Playlist", role: "page tab")
        try session.waitForTitles(["dusk", "dawn", "noon"])
        #expect(session.errors == "")
    }

    @Test func chaptersAreMarkedAndReached() async throws {
        let session = try DesktopSession()
        let marks = [(0, 20, "Prologue"), (20, 60, "The Sea")].map {
            "[CHAPTER]\nTIMEBASE=1/1\nSTART=\($0.0)\nEND=\($0.1)\ntitle=\($0.2)\n"
        }
        try session.file("marks.txt", ";FFMETADATA1\ntitle=Book\n" + marks.joined())
        let book = session.path("book.m4b")
        try session.run(
            "ffmpeg", "-v", "error", "-i", try session.tone("a.wav"), "-i", session.path("marks.txt"), "-map", "0:a",
            "-map_metadata", "1", "-map_chapters", "1", "-c:a", "aac", book)
        try session.start(book)
        try session.element("Prologue", role: "label")
        try session.press("greater")
        try session.element("The Sea", role: "label")
        #expect((Double(try session.playerctl("position")) ?? 0) >= 19.9)
        try session.press("greater")
        try session.element("this is the last chapter")
        #expect(session.errors == "")
    }

    @Test func withoutADisplayItSaysWhatToDo() throws {
        let session = try DesktopSession()
        let program = try session.start(environment: ["DISPLAY": "", "WAYLAND_DISPLAY": ""])
        #expect(try session.waitForEnd(of: program) == 1)
        #expect(session.errors.contains("there is no display") && session.errors.contains("descant play"))
    }
}
