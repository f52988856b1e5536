import DescantTestSupport
import DescantTesting
import Foundation
import Synchronization
import Testing

@testable import DescantDesktop

/// The programs that people run, on a bus of their own, against every rule of MPRIS.
@Suite("The sample programs under remote control")
struct SampleProgramTests {
    private let folder: TemporaryDirectory
    private let bus: PrivateBus

    init() throws {
        folder = try TemporaryDirectory(label: "descant-programs")
        bus = try PrivateBus()
    }

    private func tone(_ name: String) throws -> URL {
        let url = folder.file(name)
        let signal = TestSignal.ramp(frames: 320_000, firstIndex: 0, sampleRate: 8_000)
        try WAVFile(signal.samples(), encoding: .int16).write(to: url)
        return url
    }

    /// Starts `descant`, as `make test` has built it.
    private func start(_ arguments: [String]) throws -> Process {
        let products = ProcessInfo.processInfo.environment["DESCANT_TEST_PRODUCTS"]
        let process = Process()
        process.executableURL =
            try products.map { URL(fileURLWithPath: $0).appendingPathComponent("descant") }
            ?? TestProgram.named("descant")
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment
        variables["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        variables["PULSE_SERVER"] = "unix:/nonexistent/descant-test"
        variables["DESCANT_PLUGIN_PATH"] = variables["DESCANT_TEST_BUNDLES"]
        for name in ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] { variables[name] = folder.url.path }
        process.environment = variables
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Waits until the program has its name on the bus and plays.
    private func view(of process: Process) async throws -> RemotePlayer {
        let client = try await BusClient(bus.address)
        let name = MPRISName.bus("descant")
        let limit = ContinuousClock.now + .seconds(RemoteStage.patience)
        func isPlaying() async throws -> Bool {
            let answer = try? await client.call(
                name, MPRISName.path, MPRISName.properties, "Get",
                [.string(MPRISName.player), .string("PlaybackStatus")])
            return answer?.first?.content?.string == "Playing"
        }
        // Each question takes some milliseconds.
        while try await !isPlaying() {
            try #require(process.isRunning && ContinuousClock.now < limit, "it does not play")
        }
        return try await RemotePlayer(name, client, limit: RemoteStage.patience)
    }

    private func quit(_ view: RemotePlayer, _ process: Process) async throws {
        _ = try await view.call(MPRISName.root, "Quit")
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("descant play keeps every rule of MPRIS") func playing() async throws {
        let files = try (1...3).map { try tone("\($0).wav").path }
        let process = try start(["play", "--headless", "--output", "null"] + files)
        defer { if process.isRunning { process.terminate() } }
        let view = try await view(of: process)
        // The rules begin with a player that is stopped, on its first track.
        try await view.player("Stop")
        let findings = await MPRISChecker(player: view, uri: try tone("added.wav").absoluteString).run()
        #expect(findings == [])
        try await quit(view, process)
    }

    @Test("descant read keeps every rule of MPRIS that a text has") func reading() async throws {
        let text = folder.file("mill.md")
        let sentences = (1...60).map { "Sentence \($0) runs past the mill and under seven stone bridges." }
        try Data(("# One\n\n" + sentences.joined(separator: " ")).utf8).write(to: text)
        let process = try start([
            "read", "--headless", "--output", "null", "--engine", "flite", text.path,
        ])
        defer { if process.isRunning { process.terminate() } }
        let view = try await view(of: process)
        let checker = MPRISChecker(player: view, hasEstimatedLength: true)
        // A text is one track, whose sentences are what Next and Previous move by.
        let findings = await checker.run(without: [
            .repliesAfterEffect, .seek, .writable, .trackList, .impossible, .stopSeeks,
        ])
        #expect(findings == [])
        try await moveBySentences(checker)
        try await changeSettings(checker)
        try await tryWhatATextRefuses(checker)
        try await stopAndGoOn(checker)
        try await quit(view, process)
    }

    /// A stopped text continues at the sentence. Seeked says so, because clients expect the beginning.
    private func stopAndGoOn(_ checker: MPRISChecker) async throws {
        let view = checker.player
        try await view.player("Pause")
        var mark = view.mark
        try await view.player("SetPosition", .path(try await checker.trackID() ?? "/"), .int64(20_000_000))
        // Its own signal may come behind the answer.
        #expect(try await view.wait(for: "Seeked", since: mark) != nil)
        mark = view.mark
        try await view.player("Stop")
        #expect(try await checker.status() == "Stopped")
        #expect(try await checker.currentPosition() == 0)
        #expect(try await view.wait(for: "Seeked", since: mark)?.arguments == [.int64(0)])
        try await checker.metadata()
        try await checker.requireTold(after: "Stop")
        mark = view.mark
        try await view.player("Stop")
        try await view.player("Play")
        #expect(try await checker.status() == "Playing")
        // The sentence begins a few seconds before.
        try await checker.requireSeeked(since: mark, near: 10_000_000, after: "Play after Stop")
        #expect(view.signals("Seeked", since: mark).count == 1)
        try await checker.requireTold(after: "Play after Stop")
    }

    private func moveBySentences(_ checker: MPRISChecker) async throws {
        let view = checker.player
        func title() async throws -> String? {
            try await view.get("Metadata").dictionary?["xesam:title"]?.string
        }
        try await view.player("Pause")
        var mark = view.mark
        try await view.player("Seek", .int64(-3_600_000_000))
        #expect(try await checker.currentPosition() == 0)
        try await checker.requireSeeked(since: mark, near: 0, after: "Seek to the beginning")
        let track = try await checker.trackID()
        var before = try await title()
        for method in ["Next", "Next", "Previous"] {
            mark = view.mark
            try await view.player(method)
            let after = try await title()
            #expect(after != before && after != nil, "\(method)")
            #expect(try await checker.status() == "Paused")
            #expect(try await checker.trackID() == track)
            #expect(try await view.wait(for: "Seeked", since: mark) != nil, "\(method) jumps")
            try await checker.requireTold(after: method)
            before = after
        }
    }

    private func changeSettings(_ checker: MPRISChecker) async throws {
        let view = checker.player
        let settings: [(String, BusValue)] = [
            ("LoopStatus", .string("Track")), ("LoopStatus", .string("None")), ("Volume", .double(0.5)),
            ("Volume", .double(1)), ("Rate", .double(1.5)), ("Rate", .double(1)),
        ]
        for (name, value) in settings {
            try await view.set(name, value)
            #expect(try await view.get(name) == value, "\(name)")
            #expect(try await view.wait { $0.known(name) == value }, "\(name) was told")
        }
        try await view.set("Volume", .double(-1))
        #expect(try await view.get("Volume") == .double(0))
        try await view.set("Volume", .double(1))
        try await checker.requireTold(after: "settings")
    }

    private func tryWhatATextRefuses(_ checker: MPRISChecker) async throws {
        let view = checker.player
        let tracks = try await checker.trackIDs()
        // What is not published is refused.
        #expect(try await view.get("CanEditTracks", MPRISName.trackList) == .bool(false))
        #expect(try await view.get("SupportedUriSchemes", MPRISName.root).elements?.isEmpty == true)
        let uri = BusValue.string("file:///music/added.flac")
        _ = try? await view.call(MPRISName.trackList, "AddTrack", [uri, .path(MPRISName.noTrack), .bool(true)])
        _ = try? await view.call(MPRISName.trackList, "RemoveTrack", [.path(tracks.first ?? "/")])
        await #expect(throws: BusError.self) { try await view.player("OpenUri", uri) }
        await #expect(throws: BusError.self) { try await view.set("Shuffle", .bool(true)) }
        await #expect(throws: BusError.self) { try await view.set("LoopStatus", .string("Sometimes")) }
        #expect(try await checker.trackIDs() == tracks)
        // A text cannot be shuffled, and clients show no button for it.
        #expect(try await view.getAll(MPRISName.player)["Shuffle"] == nil)
        try await checker.requireTold(after: "what was refused")
    }
}
