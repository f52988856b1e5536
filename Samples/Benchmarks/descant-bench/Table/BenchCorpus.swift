internal import Descant
internal import Foundation

/// The files of `table`, generated at the start: two tracks, an overlay as long as both, and a long file to seek in.
/// FLAC, 44.1 kHz,
/// 16 bit, stereo.
struct BenchCorpus {
    static let trackSeconds = 60.0
    static let crossfade = 5.0
    static let seekPositions = [400.123, 60.5, 250.25, 570.75, 10]
    /// Positions all over the long file, in seconds.
    static let manyPositions = (0..<20).map { Double($0 * 277 % 590) + 0.123 }

    let folder: URL
    let first: URL
    let second: URL
    let overlay: URL
    let long: URL
    /// The files of ``TransportBench``.
    let tones: URL
    let otherTone: URL

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("descant-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        first = folder.appendingPathComponent("first.flac")
        second = folder.appendingPathComponent("second.flac")
        overlay = folder.appendingPathComponent("overlay.flac")
        long = folder.appendingPathComponent("long.flac")
        tones = folder.appendingPathComponent("tones.flac")
        otherTone = folder.appendingPathComponent("other-tone.flac")
        try await Self.write(first, Self.signal(Self.trackSeconds, seed: 1))
        try await Self.write(second, Self.signal(Self.trackSeconds, seed: 2))
        try await Self.write(overlay, Self.signal(2 * Self.trackSeconds, seed: 3))
        try await Self.write(long, Self.signal(600, seed: 4))
        let (change, pitches) = (TransportBench.change, TransportBench.pitches)
        try await Self.write(
            tones, BenchTones(format: Self.format, [(pitches.before, change), (pitches.after, change)]))
        try await Self.write(otherTone, BenchTones(format: Self.format, [(pitches.second, change)]))
    }

    func remove() {
        // The system cleans its temporary folder.
        try? FileManager.default.removeItem(at: folder)
    }

    private static let format = PCMFormat(sampleRate: 44_100, channels: 2)

    private static func signal(_ seconds: Double, seed: UInt64) -> BenchSignal {
        BenchSignal(format: format, frames: format.frames(in: seconds), seed: seed)
    }

    private static func write(_ url: URL, _ source: some PCMSource) async throws {
        let engine = try AudioEnvironment.shared.makeEngine(output: .flac(url, bits: 16), format: format)
        let deck = try await engine.openDeck(.pcm(source), gain: 1, isClip: false)
        try await engine.play(deck.id, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        let frames = try await engine.advance(frames: (source.frameCount ?? 0) + 1, untilIdle: engine.mainLayer)
        try await engine.finishOutput()
        await engine.shutdown()
        guard frames == source.frameCount else { throw BenchError.failed("\(url.path) has \(frames) frames") }
    }
}
