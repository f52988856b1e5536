import DescantTestSupport
import Foundation
import Testing

extension DesktopPlayerTests {
    /// A book of two chapters whose sentences take some seconds each.
    private func book(in session: DesktopSession) throws -> String {
        let sentences = (1...40).map { "Sentence \($0) runs past the mill and under seven stone bridges." }
        return try session.file(
            "mill.md",
            "# The Mill\n\n" + sentences.prefix(20).joined(separator: " ") + "\n\n"
                + sentences.dropFirst(20).joined(separator: " ") + "\n\n# The Sea\n\nThe end is near. It is here.")
    }

    /// The text that the reader shows.
    private func text(_ elements: [DesktopSession.Element]) -> String? {
        elements.first { $0.name == "Text of the book" }?.text
    }

    /// The number of the sentence that a title begins; `nil` for other titles.
    private func sentence(_ title: String) -> Int? {
        title.hasPrefix("Sentence ") ? title.split(separator: " ").dropFirst().first.flatMap { Int($0) } : nil
    }

    @Test func aBookIsReadAloudInPlaceOfTheMusic() async throws {
        let session = try DesktopSession()
        let bundles = try session.bundles("FliteSpeech", "EspeakSpeech")
        try session.start(try session.tone("a.wav"), environment: bundles)
        try session.element("a – Descant", role: "frame")
        try session.element("Pause")
        // A second start hands the book over to the window, which shows it and pauses the music.
        try session.start(try book(in: session))
        try session.element("Pause the reading")
        try session.element("Play")
        try session.wait("the text") { (text($0) ?? "").contains("Sentence 1 runs") ? true : nil }
        try session.wait("the word that sounds") { _ in try session.pixels(of: "#f5c211") > 100 ? true : nil }
        #expect(try session.playerctl("status") == "Playing")
        try session.wait("the chapter") { _ in
            try session.playerctl("metadata", "xesam:album") == "The Mill" ? true : nil
        }
        try session.press("space")
        try session.element("Read aloud")
        #expect(try session.playerctl("status") == "Paused")
        // Media keys reach the book as long as it was heard last.
        try session.press("greater")
        try session.wait("the second chapter") { (text($0) ?? "").contains("The end is near") ? true : nil }
        try session.press("less")
        try session.wait("the first chapter") { (text($0) ?? "").contains("Sentence 1 runs") ? true : nil }
        try session.playerctl("play")
        try session.element("Pause the reading")
        try session.click("Play")
        try session.element("Pause")
        try session.element("Read aloud")
        #expect(try session.playerctl("metadata", "xesam:title") == "a")
        #expect(session.errors == "")
    }

    @Test func theMachineStaysAwakeWhileSomethingIsHeard() throws {
        let session = try DesktopSession()
        try session.startPortal(scheme: 0)
        func waitForInhibitions(_ expected: [String]) throws {
            try session.wait("the inhibitions \(expected)") { _ -> Bool? in
                try session.inhibitions() == expected ? true : nil
            }
        }
        // The flag against suspending.
        let inhibition = "4 Sound is playing"
        try session.start(try session.tone("a.wav"), environment: try session.bundles("FliteSpeech"))
        try session.element("Pause")
        try waitForInhibitions([inhibition])
        try session.press("space")
        try session.element("Play")
        try waitForInhibitions([])
        try session.start(try book(in: session))
        try session.element("Pause the reading")
        try waitForInhibitions([inhibition])
        try session.press("space")
        try session.element("Read aloud")
        try waitForInhibitions([])
        #expect(session.errors == "")
    }

    @Test func engineVoiceAndPlaceOfABookAreChosenAndKept() async throws {
        let session = try DesktopSession()
        let bundles = try session.bundles("FliteSpeech", "EspeakSpeech")
        try session.start(try book(in: session), environment: bundles)
        try session.element("Pause the reading")
        let engine = try session.wait("the engine") { elements in
            elements.first { $0.name.hasPrefix("Engine: ") && $0.width > 0 }
        }
        try session.click(engine)
        let isFlite = engine.name == "Engine: flite"
        try session.press(isFlite ? "Up" : "Down", "Return")
        let other = isFlite ? "Engine: espeak" : "Engine: flite"
        try session.element(other)
        try session.wait("its voices") { elements in elements.first { $0.name.hasPrefix("Voice: ") && $0.width > 0 } }
        for _ in 0..<3 { try session.click("Next sentence") }
        try session.wait("a later sentence") { _ in
            try session.playerctl("metadata", "xesam:title").hasPrefix("Sentence") ? true : nil
        }
        // The list has the keyboard, and Space would open it.
        try session.click("Pause the reading")
        try session.element("Read aloud")
        let kept = try #require(try sentence(session.playerctl("metadata", "xesam:title")))
        try session.press("ctrl+q")
        #expect(try session.waitForEnd() == 0)
        try session.start(environment: bundles)
        try session.click("Reader", role: "page tab")
        let clock = ContinuousClock()
        let clicked = clock.now
        try session.click("Go on reading mill")
        try session.element(other)
        try session.element("Pause the reading")
        let heard = try session.wait("the place") { _ in try sentence(session.playerctl("metadata", "xesam:title")) }
        // On a busy machine some more sentences may be heard by now; each takes more than 2 s.
        let played = (clock.now - clicked) / .seconds(1)
        #expect(heard >= kept && Double(heard - kept) < 1 + played / 2, "\(kept), then \(heard)")
        #expect(session.errors == "")
    }

    @Test func aBookThatCannotBeReadSaysWhy() throws {
        let session = try DesktopSession()
        try session.start(
            try session.file("damaged.epub", "no archive"), environment: try session.bundles("FliteSpeech"))
        try session.wait("the reason") { elements in
            elements.first { $0.name.contains("damaged.epub: not an EPUB") && $0.width > 0 }
        }
        try session.element("Open a Book…")
        #expect(session.errors == "")
    }
}
