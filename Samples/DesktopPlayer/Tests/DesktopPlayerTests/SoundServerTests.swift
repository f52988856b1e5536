import DescantTestSupport
import Foundation
import Testing

/// What the window says when the sound server ends, and when a call begins.
extension DesktopPlayerTests {
    private func waitForMessage(_ beginning: String, in session: DesktopSession) throws {
        try session.wait(beginning) { elements in elements.first { $0.name.hasPrefix(beginning) && $0.width > 0 } }
    }

    private func waitForEnd(ofMessage beginning: String, in session: DesktopSession) throws {
        try session.wait("the end of: \(beginning)") { elements -> Bool? in
            elements.contains { $0.name.hasPrefix(beginning) && $0.width > 0 } ? nil : true
        }
    }

    @Test func aLostSoundServerIsToldUntilItIsBack() async throws {
        let session = try DesktopSession()
        // Without a server nothing plays; once there is one, the person may begin.
        let none = "audio output: sound server"
        session.sound.kill()
        try session.start(try session.tone("a.wav"))
        try waitForMessage(none, in: session)
        try session.element("Stopped", role: "label")
        try session.sound.start()
        try session.press("space")
        try session.element("Pause")
        try waitForEnd(ofMessage: none, in: session)
        #expect(try await waitForLevel(session, 0.05...) > 0.05)
        // A server that ends while the player is heard is waited for.
        let lost = "no sound; it goes on when the sound server is back"
        for _ in 0..<2 {
            session.sound.kill()
            try waitForMessage(lost, in: session)
            try session.sound.start()
            try waitForEnd(ofMessage: lost, in: session)
            #expect(try await waitForLevel(session, 0.05...) > 0.05)
        }
        session.sound.kill()
        try waitForMessage(lost, in: session)
        try session.press("ctrl+q")
        #expect(try session.waitForEnd() == 0)
        #expect(session.errors == "")
    }

    @Test func aCallIsTheReasonOfThePause() async throws {
        let session = try DesktopSession()
        try session.start(try session.tone("a.wav"))
        try session.element("a – Descant", role: "frame")
        #expect(try await waitForLevel(session, 0.05...) > 0.05)
        let reason = "Paused by a call (Telephone); it goes on afterwards; space plays now"
        for endsByKey in [false, true] {
            let call = try ForeignPlayer(on: session.sound.address, name: "Telephone", role: "phone")
            try waitForMessage(reason, in: session)
            try session.element("Play")
            #expect(try await waitForSilence(session) <= 0.0001)
            if endsByKey { try session.press("space") } else { call.stop() }
            try session.element("Pause")
            try waitForEnd(ofMessage: reason, in: session)
            #expect(try await waitForLevel(session, 0.05...) > 0.05)
        }
        #expect(session.errors == "")
    }
}
