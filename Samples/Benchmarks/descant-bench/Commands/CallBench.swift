internal import Descant
internal import DescantTestSupport
internal import Foundation

/// The time until each call returns that opens no file, while a track plays in real time.
struct CallBench {
    private enum Output: String {
        case null, pulse
        /// A private sound server that does not answer while the calls are made.
        case frozen
    }

    private let output: Output
    private let count: Int
    private let file: URL
    private let entries: Int

    init(_ arguments: inout Arguments) throws {
        output = try arguments.choice(Output.self)
        count = try arguments.integer()
        file = try arguments.file()
        entries = arguments.isEmpty ? 3 : try arguments.integer()
        guard entries >= 3 else { throw BenchError.failed("at least 3 entries are needed, so that they can be moved") }
    }

    func run() async throws {
        let server = output == .frozen ? try PrivatePulseServer() : nil
        if let server { setenv("PULSE_SERVER", server.address, 1) }
        let real = try RealTimePlayer(output == .null ? .null : .pulse)
        let player = real.player
        let entries = [file, file, file] + (3..<entries).map { URL(fileURLWithPath: PlaylistBench.path($0)) }
        try await player.loadPlaylist(entries, configuration: RealTimePlayer.configuration)
        var overlay = OverlayConfiguration()
        (overlay.volume, overlay.loopMode) = (0.1, .infinite)
        try await player.startOverlay(url: file, configuration: overlay)
        var quiet = RealTimePlayer.configuration
        quiet.volume = 50
        // Calls of one round in the order that keeps each of them legal.
        let calls: [(String, () async throws -> Void)] = [
            ("state", { _ = await player.state }),
            ("position", { _ = await player.playbackPosition }),
            ("volume", { await player.setVolume(0.4) }),
            ("configuration", { try await player.updateConfiguration(quiet) }),
            ("repeat", { await player.setRepeatMode(.playlist) }),
            ("seek", { try await player.seekWithFade(to: 1, fadeDuration: 0) }),
            ("pause", { try await player.pause() }),
            ("resume", { try await player.resume() }),
            ("overlay_volume", { await player.setOverlayVolume(0.2) }),
            ("overlay_pause", { await player.pauseOverlay() }),
            ("overlay_resume", { await player.resumeOverlay() }),
            ("pause_all", { await player.pauseAll() }),
            ("resume_all", { await player.resumeAll() }),
            ("add", { await player.addTrackToPlaylist(file) }),
            ("move", { try await player.moveTrackInPlaylist(from: 2, to: 3) }),
            ("remove", { try await player.removeTrackFromPlaylist(at: 3) }),
        ]
        if let server {
            // Until the sound has reached the server.
            for await position in player.positionUpdates(every: 0.05) where position.currentTime >= 0.2 { break }
            server.freeze()
        }
        defer { server?.thaw() }
        var times: [String: [Double]] = [:]
        for _ in 0..<count {
            for (name, call) in calls {
                let called = BenchOutput.now
                try await call()
                times[name, default: []].append(Double(BenchOutput.now - called) / 1e6)
            }
        }
        let all = calls.map { Statistics(times[$0.0] ?? []) }
        BenchReport.line(
            ("slowest_ms", BenchReport.decimals(all.compactMap(\.median).max() ?? .nan, 3)),
            ("slowest_maximum_ms", BenchReport.decimals(all.compactMap(\.maximum).max() ?? .nan, 3)))
        for (name, _) in calls {
            let statistics = Statistics(times[name] ?? [])
            BenchReport.line(
                ("\(name)_ms", BenchReport.decimals(statistics.median ?? .nan, 3)),
                ("\(name)_maximum_ms", BenchReport.decimals(statistics.maximum ?? .nan, 3)))
        }
        server?.thaw()
        await real.engine.shutdown()
    }
}
