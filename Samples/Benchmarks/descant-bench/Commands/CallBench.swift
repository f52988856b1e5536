internal import Descant
internal import Foundation

/// The time until each call returns that opens no file, while a track plays in real time.
struct CallBench {
    private let output: BenchOutput
    private let count: Int
    private let file: URL

    init(_ arguments: inout Arguments) throws {
        output = try arguments.choice(BenchOutput.self)
        count = try arguments.integer()
        file = try arguments.file()
    }

    func run() async throws {
        let real = try RealTimePlayer(output)
        let player = real.player
        try await player.loadPlaylist([file, file, file], configuration: RealTimePlayer.configuration)
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
        var times: [String: [Double]] = [:]
        for _ in 0..<count {
            for (name, call) in calls {
                let called = BenchOutput.now
                try await call()
                times[name, default: []].append(Double(BenchOutput.now - called) / 1e6)
            }
        }
        for (name, _) in calls {
            let statistics = Statistics(times[name] ?? [])
            Report.line(
                ("\(name)_ms", Report.decimals(statistics.median ?? .nan, 3)),
                ("\(name)_maximum_ms", Report.decimals(statistics.maximum ?? .nan, 3)))
        }
        await real.engine.shutdown()
    }
}
