import DescantTestSupport
import Foundation
import Testing

/// What is opened by the command line and by remote controls: playlists, folders and web addresses.
extension DesktopPlayerTests {
    /// A web server with a file under each path.
    private func server(_ files: [String: Data]) throws -> LoopbackWebServer {
        try LoopbackWebServer { request in
            guard let file = files[request.path] else { return WebAnswer(status: 404) }
            return .file(file, for: request, type: request.path.contains(".wav") ? "audio/x-wav" : "text/plain")
        }
    }

    private func data(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    /// Waits until the player on the bus has the address of a track.
    private func waitForAddress(_ address: String, in session: DesktopSession) throws {
        try session.wait("the address \(address)") { _ -> Bool? in
            try session.playerctl("metadata", "xesam:url") == address ? true : nil
        }
    }

    @Test(arguments: [("--help", "usage: descant-desktop"), ("--version", "0.")])
    func theProgramAnswersWithoutADisplay(argument: String, answer: String) async throws {
        let process = Process()
        process.executableURL = try TestProgram.named("descant-desktop")
        process.arguments = [argument]
        process.environment = ProcessInfo.processInfo.environment.filter {
            !["DISPLAY", "WAYLAND_DISPLAY"].contains($0.key)
        }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: await output.fileHandleForReading.allBytes(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && text.hasPrefix(answer))
    }

    @Test func thePlaylistIsSaved() throws {
        let session = try DesktopSession()
        try session.start(try session.tone("a.wav"), try session.tone("b.wav"))
        try session.waitForTitles(["a", "b"])
        try session.press("ctrl+s")
        try session.element("Save the Playlist")
        // Without a window manager the keyboard belongs to the window under the pointer.
        try session.run("xdotool", "mousemove", "300", "150")
        try session.press("ctrl+a")
        try session.type(session.path("mine.m3u"))
        try session.press("Return")
        try session.wait("the message") { elements in elements.first { $0.name.hasPrefix("saved as ") && $0.width > 0 }
        }
        #expect(try String(contentsOfFile: session.path("mine.m3u"), encoding: .utf8).contains("b.wav"))
        #expect(session.errors == "")
    }

    @Test func remoteControlsOpenPlaylistsFoldersAndAddresses() async throws {
        let session = try DesktopSession()
        try session.run("mkdir", "-p", session.path("folder name/disc 2"))
        for name in ["first", "last", "far", "folder name/2", "folder name/10", "folder name/disc 2/1"] {
            try session.tone("\(name).wav")
        }
        try session.file("list.m3u8", "#EXTM3U\n#EXTINF:60,Ann - Dawn\nfirst.wav\nlast.wav\n")
        let server = try server(["/radio/far.wav": data(session.path("far.wav"))])
        try session.start()
        try session.element("Nothing to play yet")
        // The name on the bus comes with the window; a window without tracks begins to play.
        try session.playerctl("open", URL(fileURLWithPath: session.path("list.m3u8")).absoluteString)
        try session.waitForTitles(["Ann - Dawn", "last"])
        try session.element("Ann - Dawn – Descant", role: "frame")
        try session.element("Pause")
        #expect(try session.playerctl("metadata", "xesam:title") == "Ann - Dawn")
        #expect(try await waitForLevel(session, 0.05...) > 0.05)
        // What is opened later is played next, and the rest of the list follows it.
        try session.playerctl("open", URL(fileURLWithPath: session.path("folder name")).absoluteString)
        try session.waitForTitles(["Ann - Dawn", "2", "10", "1", "last"])
        try session.element("2 – Descant", role: "frame")
        let address = server.url("/radio/far.wav").absoluteString
        try session.playerctl("open", address)
        try session.waitForTitles(["Ann - Dawn", "2", "far", "10", "1", "last"])
        try session.element("far – Descant", role: "frame")
        try waitForAddress(address, in: session)
        #expect(try await waitForLevel(session, 0.05...) > 0.05)
        try session.press("n")
        try session.element("10 – Descant", role: "frame")
        #expect(session.errors == "")
    }

    @Test func theCommandLineOpensFoldersAndAddresses() async throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("music"))
        for name in ["far", "music/1", "music/2"] { try session.tone("\(name).wav") }
        try session.file("music/notes.txt", "no sound")
        let server = try server(["/far.wav?key=a%20b": data(session.path("far.wav"))])
        try session.start(session.path("music"))
        try session.waitForTitles(["1", "2"])
        try session.element("1 – Descant", role: "frame")
        // A second start hands the address over to the window, and ends.
        let address = server.url("/far.wav?key=a%20b").absoluteString
        let second = try session.start(address)
        #expect(try session.waitForEnd(of: second) == 0)
        try session.element("far – Descant", role: "frame")
        try session.waitForTitles(["1", "2", "far"])
        try waitForAddress(address, in: session)
        #expect(try await waitForLevel(session, 0.05...) > 0.05)
        // A stream that is sought asks the server for the rest.
        try session.playerctl("position", "30")
        try session.wait("the place") { _ -> Bool? in
            (Double(try session.playerctl("position")) ?? 0) > 30.2 ? true : nil
        }
        #expect(session.errors == "")
    }

    /// A session whose player was halted between the end of its window and its own.
    private func sessionOfAnEndingPlayer() async throws -> DesktopSession {
        while true {
            let session = try DesktopSession()
            try session.start(try session.tone("a.wav"))
            try session.element("a – Descant", role: "frame")
            #expect(try await waitForLevel(session, 0.05...) > 0.05)
            try session.press("ctrl+q")
            try session.halt(whenHidden: "a – Descant")
            // A busy machine may need longer than the player, which fades out for 0.3 s.
            if try session.status() == nil { return session }
        }
    }

    @Test(arguments: [true, false]) func aNewStartWhileThePlayerEndsIsNotLost(bringsFile: Bool) async throws {
        let session = try await sessionOfAnEndingPlayer()
        try session.handOver(bringsFile ? [session.tone("100% b.wav")] : [])
        try session.signal(SIGCONT)
        // The queue that was kept is there, and can be kept again.
        try session.waitForTitles(bringsFile ? ["a", "100% b"] : ["a"])
        if !bringsFile { try session.press("space") }
        try session.element(bringsFile ? "100% b – Descant" : "a – Descant", role: "frame")
        #expect(try await waitForLevel(session, 0.05...) > 0.05)
        #expect(try session.playerctl("status") == "Playing")
        try session.press("ctrl+q")
        #expect(try session.waitForEnd() == 0)
        #expect(session.errors == "")
    }

    /// A file manager names files by addresses, which the desktop file passes on.
    @Test func theFileManagerOpensFilesByTheDesktopFile() throws {
        let session = try DesktopSession()
        let files = [try session.tone("100% noon #1.wav"), try session.tone("dusk.wav")]
        let desktop = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Desktop").standardizedFileURL.path
        let programs = try TestProgram.named("descant-desktop").deletingLastPathComponent().path
        func launch(_ entry: String, _ file: String) throws {
            try session.run(
                "sh", "-c", #"PATH=$0:$PATH exec gio launch "$1" "$2" >>"$3" 2>&1"#, programs,
                "\(desktop)/\(entry).desktop", file, session.path("errors"))
        }
        try launch("org.descant.Player", files[0])
        try session.element("100% noon #1 – Descant", role: "frame")
        // The player names this file on the bus, so that the desktop shows the right icon for it.
        let entry = try session.remoteProperty("DesktopEntry", of: "org.mpris.MediaPlayer2")
        let name = try #require(entry.split(separator: "\"").dropFirst().first)
        try launch(String(name), files[1])
        try session.element("dusk – Descant", role: "frame")
        try session.waitForTitles(["100% noon #1", "dusk"])
        #expect(try session.elements().count(where: { $0.role == "application" }) == 1)
        #expect(session.errors == "")
    }

    @Test func playlistsOnTheWebAreLoaded() throws {
        let session = try DesktopSession()
        for name in ["near", "far"] { try session.tone("\(name).wav") }
        let file = URL(fileURLWithPath: session.path("near.wav")).absoluteString
        let server = try server([
            "/lists/radio.m3u": Data("#EXTINF:60,Dawn\n../far.wav\n\(file)\n".utf8),
            "/lists/page.pls": Data("<!doctype html>".utf8), "/far.wav": data(session.path("far.wav")),
        ])
        try session.start(session.path("near.wav"))
        try session.waitForTitles(["near"])
        let second = try session.start(server.url("/lists/radio.m3u").absoluteString)
        #expect(try session.waitForEnd(of: second) == 0)
        // The file of this computer that it names is left out.
        try session.waitForTitles(["near", "Dawn"])
        try session.element("Dawn – Descant", role: "frame")
        try waitForAddress(server.url("/far.wav").absoluteString, in: session)
        try session.start(server.url("/lists/page.pls").absoluteString)
        try session.wait("the reason") { elements in
            elements.first { $0.name.contains("the server sends a web page") && $0.width > 0 }
        }
        #expect(session.errors == "")
    }

    @Test func whatCannotBeOpenedIsTold() throws {
        let session = try DesktopSession()
        try session.run("mkdir", session.path("bare"))
        let server = try server([:])
        try session.start(try session.tone("a.wav"))
        try session.element("a – Descant", role: "frame")
        try session.start(session.path("bare"))
        try session.wait("the reason") { elements in
            elements.first { $0.name.contains("there are no audio files in this folder") && $0.width > 0 }
        }
        try session.click("Close the message")
        try session.wait("its end") { elements -> Bool? in
            elements.contains { $0.name.contains("there are no audio files") } ? nil : true
        }
        // The track before goes on being heard.
        try session.element("Pause")
        // A remote control is answered with the reason.
        let failure = #expect(throws: DesktopSession.Failure.self) {
            try session.playerctl("open", server.url("/none.wav").absoluteString)
        }
        #expect(failure?.description.contains("file not found: \(server.url("/none.wav"))") == true)
        try session.start(server.url("/none.wav").absoluteString)
        try session.wait("the reason") { elements in
            elements.first { $0.name.contains("file not found") && $0.width > 0 }
        }
        #expect(session.errors == "")
    }
}
