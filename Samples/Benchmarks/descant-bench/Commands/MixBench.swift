internal import Descant
internal import Foundation

/// Two tracks with an equal-power crossfade, and an overlay that loops at 0.3.
struct MixBench {
    private let tracks: [URL]
    private let overlay: URL
    private let rate: Int
    private let crossfade: Double
    private let output: URL?

    init(_ arguments: inout Arguments) throws {
        tracks = [try arguments.file(), try arguments.file()]
        overlay = try arguments.file()
        rate = try arguments.integer()
        crossfade = try arguments.number()
        output = arguments.isEmpty ? nil : try arguments.file()
    }

    func run() async throws {
        let began = BenchOutput.now
        let offline = try OfflinePlayer(writingTo: output, sampleRate: rate)
        let engine = offline.engine
        // Both files are opened at the same time.
        async let clip = engine.openDeck(.url(overlay), gain: 1, isClip: true)
        let configuration = PlayerConfiguration(crossfadeDuration: crossfade, fadeCurve: .equalPower)
        try await offline.player.loadPlaylist(tracks, configuration: configuration)
        let layer = await engine.addLayer(.overlay)
        await engine.setGain(0.3, of: layer, ramp: 0)
        try await engine.play(clip.id, on: layer, entry: .cut, loop: LoopPlan(passes: nil))
        let frames = try await offline.renderToEnd()
        BenchReport.line(
            ("inproc_wall_s", BenchReport.decimals(Double(BenchOutput.now - began) / 1e9, 4)),
            ("out_s", BenchReport.decimals(Double(frames) / Double(rate), 4)))
    }
}
