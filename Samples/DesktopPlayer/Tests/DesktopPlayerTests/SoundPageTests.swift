import DescantTestSupport
import Foundation
import Testing

/// The page with crossfades and the overlay; tones of different frequencies tell tracks apart.
extension DesktopPlayerTests {
    /// The amplitudes of some frequencies in the sound now, 0…1.
    private func amplitudes(_ session: DesktopSession, _ frequencies: [Double]) async throws -> [Double] {
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: session.sound)
        try await recording.wait(frames: 14_400)
        let samples = await recording.stop().suffix(9_600)
        // The left channel of a tenth of a second, in which all of the frequencies have whole periods.
        let left = stride(from: samples.startIndex, to: samples.endIndex, by: 2).map { Double(samples[$0]) }
        return frequencies.map { frequency in
            var (real, imaginary) = (0.0, 0.0)
            for (frame, sample) in left.enumerated() {
                let angle = 2 * .pi * frequency * Double(frame) / 48_000
                real += sample * cos(angle)
                imaginary += sample * sin(angle)
            }
            return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(max(1, left.count))
        }
    }

    /// Waits until the amplitudes of some frequencies are as a condition wants them.
    func waitForTones(
        _ session: DesktopSession, _ frequencies: Double..., until isReached: ([Double]) -> Bool
    ) async throws -> Bool {
        for _ in 0..<100 where isReached(try await amplitudes(session, frequencies)) { return true }
        return false
    }

    /// Opens a drop-down list, again when the display has lost the click: a number field may keep the first click beside it.
    private func openChoices(_ name: String, with choice: String, in session: DesktopSession) throws {
        for _ in 0..<20 {
            try session.click(name)
            for _ in 0..<5 {
                if try session.elements().contains(where: { $0.name == choice && $0.width > 0 }) { return }
            }
        }
        throw DesktopSession.Failure(description: "\(choice) did not come in the list \(name)")
    }

    @Test func tracksCrossfadeAsThePageIsSet() async throws {
        let session = try DesktopSession()
        let files = [
            try session.tone("a.wav", frequency: 500, seconds: 50), try session.tone("b.wav", frequency: 1_000),
        ]
        try session.start(files[0], files[1])
        try session.element("a – Descant", role: "frame")
        try session.press("space")
        try session.element("Play")
        try session.click("Sound", role: "page tab")
        // The button with the plus is at the right of the field.
        let seconds = try session.element("Crossfade in seconds", role: "spin button")
        // For so long that both tracks are found together on a busy machine, too.
        try session.click(seconds, at: (0.92, 0.5), times: 15)
        try session.wait("fifteen seconds") { elements in
            elements.first { $0.role == "spin button" && $0.value == 15 }
        }
        try openChoices("Curve of crossfades: Equal power", with: "Linear", in: session)
        for key in ["Down", "Return"] { try session.press(key) }
        try session.element("Curve of crossfades: Linear")
        try session.playerctl("position", "33")
        // The field for the seconds takes numbers and leaves other keys to the window.
        try session.click(seconds, at: (0.2, 0.5))
        try session.press("space")
        try session.element("Pause")
        #expect(try await waitForTones(session, 500, 1_000) { $0[0] > 0.02 && $0[1] > 0.02 })
        try session.wait("the share of the crossfade") { elements in
            elements.first { $0.name.contains("crossfading ") && $0.width > 0 }
        }
        #expect(try await waitForTones(session, 500, 1_000) { $0[0] < 0.001 && $0[1] > 0.1 })
        try session.element("b – Descant", role: "frame")
        try session.click("Playlist", role: "page tab")
        try session.waitForTitles(["a", "b"])
        try session.press("ctrl+q")
        #expect(try session.waitForEnd() == 0)
        try session.start()
        try session.click("Sound", role: "page tab")
        try session.element("Curve of crossfades: Linear")
        let kept = try session.element("Crossfade in seconds", role: "spin button")
        #expect(kept.value == 15)
        #expect(session.errors == "")
    }

    @Test func theSpeedOfAnotherProgramIsShown() async throws {
        let session = try DesktopSession()
        try session.start(try session.tone("a.wav"))
        try session.element("a – Descant", role: "frame")
        try session.click("Sound", role: "page tab")
        try session.remote(
            "org.freedesktop.DBus.Properties.Set", "string:org.mpris.MediaPlayer2.Player", "string:Rate",
            "variant:double:1.5")
        try session.wait("the speed") { elements in
            elements.first { $0.name == "Speed" && $0.role == "spin button" && $0.value == 1.5 }
        }
        try session.wait("the speed beside the device") { elements in
            elements.first { $0.name.contains("1.5 × speed") && $0.width > 0 }
        }
        #expect(session.errors == "")
    }

    @Test func aPresetOfTheEqualizerIsHeard() async throws {
        let session = try DesktopSession()
        let sound = "aevalsrc=0.25*sin(120*PI*t)+0.25*sin(16000*PI*t):s=48000:d=300"
        try session.run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", sound, session.path("a.wav"))
        try session.start(session.path("a.wav"))
        #expect(try await waitForTones(session, 60, 8_000) { $0[0] > 0.2 && $0[1] > 0.2 })
        try session.click("Sound", role: "page tab")
        try openChoices("Preset of the equaliser: Custom", with: "Voice", in: session)
        for key in ["End", "Return"] { try session.press(key) }
        try session.element("Preset of the equaliser: Voice")
        try session.wait("the gain of a band") { $0.first { $0.name == "64 hertz" && $0.value == -6 } }
        #expect(try await waitForTones(session, 60, 8_000) { $0[0] < 0.05 && (0.1..<0.15).contains($0[1]) })
        #expect(session.errors == "")
    }

    /// Turns the wheel over the controls until the end of the page is in sight.
    private func scrollDown(in session: DesktopSession) throws {
        var place = 0
        try session.wait("the end of the page") { elements -> Bool? in
            guard let last = elements.last(where: { $0.name == "Sleep timer" && $0.width > 0 }) else { return nil }
            defer { place = last.y }
            if last.y == place { return true }
            try session.run("xdotool", "mousemove", "920", "300", "click", "--repeat", "5", "--delay", "20", "5")
            return nil
        }
    }

    @Test func theWheelMovesThePageAndSetsNothing() throws {
        let session = try DesktopSession()
        try session.start()
        try session.click("Sound", role: "page tab")
        try session.click("Equaliser", role: "check box")
        func values(_ elements: [DesktopSession.Element]) -> [String] {
            elements.filter { ["slider", "spin button"].contains($0.role) }.map { "\($0.name) \($0.value ?? -1)" }
        }
        let band = try session.wait("the bands") { elements in
            elements.first { $0.name == "64 hertz" && $0.enabled && $0.height > 0 }
        }
        let before = try values(session.elements())
        try scrollDown(in: session)
        let moved = try session.element("64 hertz")
        #expect(moved.y < band.y)
        // Back up over a band, and over the number at the top.
        for element in [moved, try session.element("Speed", role: "spin button")] {
            let (x, y) = (element.x + element.width / 2, element.y + element.height / 2)
            try session.run("xdotool", "mousemove", "\(x)", "\(y)", "click", "--repeat", "20", "--delay", "20", "4")
            try scrollDown(in: session)
        }
        #expect(try values(session.elements()) == before && before.contains("64 hertz 0.0"))
        #expect(session.errors == "")
    }

    @Test func aNotchOfTheWheelIsAStepOfASlider() throws {
        let session = try DesktopSession()
        try session.start(try session.tone("a.wav"))
        try session.element("a – Descant", role: "frame")
        try session.element("Pause")
        try session.press("space")
        try session.element("Play")
        try session.playerctl("position", "30")
        func value(of name: String, in elements: [DesktopSession.Element]) -> Double? {
            elements.first { $0.name == name && $0.role == "slider" }?.value
        }
        try session.wait("the position") { value(of: "Position", in: $0).flatMap { abs($0 - 30) < 0.2 ? $0 : nil } }
        for (name, before, after) in [("Volume", 1.0, 0.95), ("Position", 30.0, 25.0)] {
            let slider = try session.element(name, role: "slider")
            let (x, y) = (slider.x + slider.width / 2, slider.y + slider.height / 2)
            try session.run("xdotool", "mousemove", "\(x)", "\(y)", "click", "5")
            try session.wait("\(name) at \(after)") { elements in
                value(of: name, in: elements).flatMap { abs($0 - after) < 0.2 * (before - after) ? $0 : nil }
            }
        }
        #expect(session.errors == "")
    }

    @Test func theSpeedIsSetByThePointerAndHeard() async throws {
        let session = try DesktopSession()
        // Four bursts of sound a second.
        let sound = "aevalsrc=0.4*sin(1000*PI*t)*lt(mod(t\\,0.25)\\,0.125):s=48000:d=300"
        try session.run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", sound, session.path("a.wav"))
        try session.start(session.path("a.wav"))
        try session.element("a – Descant", role: "frame")
        #expect(try await waitForBursts(4, in: session))
        try session.click("Sound", role: "page tab")
        try scrollDown(in: session)
        let speed = try session.element("Speed", role: "spin button")
        try session.click(speed, at: (0.92, 0.5), times: 10)
        try session.wait("the speed") { elements in
            elements.first { $0.name == "Speed" && abs(($0.value ?? 0) - 2) < 0.01 }
        }
        try session.wait("the speed beside the device") { elements in
            elements.first { $0.name.contains("2.0 × speed") && $0.width > 0 }
        }
        #expect(try session.remoteProperty("Rate").contains("double 2"))
        #expect(try await waitForBursts(8, in: session))
        #expect(session.errors == "")
    }

    /// Waits until a second of the sound has so many bursts.
    private func waitForBursts(_ count: Int, in session: DesktopSession) async throws -> Bool {
        for _ in 0..<40 {
            let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: session.sound)
            try await recording.wait(frames: 60_000)
            let samples = Array(await recording.stop().suffix(96_000))
            // The loudest sample of each period of 10 ms tells whether it sounds.
            let isLoud = stride(from: 0, to: samples.count - 959, by: 960).map { start in
                samples[start..<start + 960].contains { $0 > 0.1 }
            }
            if zip(isLoud, isLoud.dropFirst()).count(where: { !$0 && $1 }) == count { return true }
        }
        return false
    }

    @Test func theSleepTimerIsSetByThePointerAndStopsTheSound() async throws {
        let session = try DesktopSession()
        try session.start(try session.tone("a.wav"), try session.tone("b.wav"))
        try session.element("a – Descant", role: "frame")
        try session.click("Sound", role: "page tab")
        try scrollDown(in: session)
        for (choice, status, steps) in [
            ("After 15 minutes", "sleep in 1", 1), ("At the end of the track", "sleep after this track", 4),
        ] {
            // On a busy machine the choices take longer than what is left of the track.
            try session.playerctl("position", "0")
            let before = try session.wait("the timer") { elements in
                elements.first { $0.name.hasPrefix("Sleep timer: ") && $0.width > 0 }
            }
            try openChoices(before.name, with: choice, in: session)
            for key in [String](repeating: "Down", count: steps) + ["Return"] { try session.press(key) }
            try session.element("Sleep timer: \(choice)")
            try session.wait(status) { elements in elements.first { $0.name.contains(status) && $0.width > 0 } }
        }
        try session.playerctl("position", "58")
        try session.element("the sleep timer has stopped the music; space goes on")
        #expect(try await waitForSilence(session) <= 0.0001)
        try session.element("Sleep timer: Off")
        try session.element("a – Descant", role: "frame")
        try session.press("space")
        try session.element("Pause")
        #expect(try await waitForLevel(session, 0.05...) > 0.05)
        #expect(session.errors == "")
    }

    @Test func anOverlayIsChosenPausedAndStopped() async throws {
        let session = try DesktopSession()
        let rain = try session.tone("rain.wav", frequency: 1_000)
        let notes = try session.file("notes.wav", "no sound")
        try session.start(try session.tone("a.wav", frequency: 500))
        try session.element("a – Descant", role: "frame")
        try session.click("Sound", role: "page tab")
        try session.element("No overlay", role: "label")
        // On a busy machine all that follows takes longer than the track.
        try session.playerctl("loop", "Track")
        #expect(try !session.element("Stop the overlay").enabled)
        try session.click("Choose Overlay…", role: "push button")
        try session.choose(rain, in: "Choose an Overlay")
        try session.element("rain, playing", role: "label")
        #expect(try await waitForTones(session, 500, 1_000) { $0[0] > 0.1 && $0[1] > 0.1 })
        try session.click(try session.element("Volume of the overlay", role: "slider"), at: (0.3, 0.5))
        try session.wait("a lower volume") { elements in
            elements.first { $0.name == "Volume of the overlay" && (0.1..<0.6).contains($0.value ?? 1) }
        }
        #expect(try await waitForTones(session, 500, 1_000) { $0[0] > 0.1 && (0.005..<0.1).contains($0[1]) })
        try session.click("Pause the overlay")
        try session.element("rain, paused", role: "label")
        try session.element("Play the overlay")
        #expect(try await waitForTones(session, 500, 1_000) { $0[0] > 0.1 && $0[1] < 0.001 })
        try session.press("o")
        try session.element("rain, playing", role: "label")
        #expect(try await waitForTones(session, 500, 1_000) { $0[0] > 0.1 && $0[1] > 0.005 })
        // A file that cannot be played leaves the overlay as it is.
        try session.click("Choose Overlay…", role: "push button")
        try session.choose(notes, in: "Choose an Overlay")
        try session.wait("the reason") { elements in
            elements.first { $0.name.contains("notes.wav") && $0.width > 0 }
        }
        try session.element("rain, playing", role: "label")
        try session.click("Stop the overlay")
        try session.element("No overlay", role: "label")
        #expect(try await waitForTones(session, 500, 1_000) { $0[0] > 0.1 && $0[1] < 0.001 })
        #expect(try !session.element("Stop the overlay").enabled)
        #expect(session.errors == "")
    }
}
