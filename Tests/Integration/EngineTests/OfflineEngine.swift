import Descant
import DescantTesting
import Foundation

/// A GStreamer engine that renders into a file, with the files that it plays.
struct OfflineEngine: Sendable {
    /// What decodes: GStreamer alone, or the bundle on libavcodec before it.
    enum Decoders: CaseIterable { case gstreamer, libav }

    static let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
    private static let environmentWithBundles: AudioEnvironment = {
        let built = ProcessInfo.processInfo.environment["DESCANT_TEST_BUNDLES"].map { URL(fileURLWithPath: $0) }
        let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let plugins = PluginRegistry(searchPath: [built ?? root.appendingPathComponent(".build/bundles/debug")])
        plugins.scan()
        return AudioEnvironment(plugins: plugins)
    }()

    let engine: any MixingEngine
    let directory: TemporaryDirectory
    let output: URL

    /// - Parameter given: The environment; `nil` for a shared one.
    init(
        format: PCMFormat = PCMFormat(sampleRate: 48_000, channels: 2), decoders: Decoders = .gstreamer,
        environment given: AudioEnvironment? = nil
    ) throws {
        directory = try TemporaryDirectory(label: "descant-engine")
        output = directory.file("output.wav")
        let environment = given ?? (decoders == .libav ? Self.environmentWithBundles : Self.environment)
        engine = try environment.makeEngine(output: .wav(output, .f32), format: format)
    }

    var main: LayerID { engine.mainLayer }

    /// Encodes a sound into a file of its own.
    func file(_ content: SampleBuffer, _ format: FixtureFormat = .flac(bits: 24), _ name: String = "sound") throws
        -> URL
    {
        try FixtureEncoder().encode(
            content, as: format, to: directory.file("\(name)-\(UUID().uuidString).\(format.fileExtension)"))
    }

    func open(_ url: URL, isClip: Bool = false) async throws -> DeckID {
        try await engine.openDeck(.url(url), gain: 1, isClip: isClip).id
    }

    /// Starts a deck after which nothing follows.
    func start(
        _ deck: DeckID, on layer: LayerID? = nil, entry: DeckEntry = .cut, loop: LoopPlan? = nil
    ) async throws {
        let layer = layer ?? main
        try await engine.play(deck, on: layer, entry: entry, loop: loop)
        if loop == nil { try await engine.setFollowUp(.nothing, on: layer) }
    }

    /// Plays decks one after the other on the main layer and renders until they have ended.
    ///
    /// - Returns: The number of rendered frames.
    @discardableResult
    func renderPlaylist(
        _ decks: [DeckID], join: DeckJoin, past start: Int = 0, meanwhile: () throws -> Void = {}
    ) async throws -> Int {
        let events = engine.mixEvents.buffered(.bounded(4_096)).numbered
        let decider = Task { [engine] in
            for await numbered in events {
                guard case .deckStarted(let deck) = numbered.event.kind, let layer = numbered.event.layer else {
                    continue
                }
                let next = decks.firstIndex(of: deck).map { decks[($0 + 1)...].first } ?? nil
                try await engine.setFollowUp(next.map { .deck($0, join) } ?? .nothing, on: layer)
                if next == nil { return }
            }
        }
        try await engine.play(decks[0], on: main, entry: .cut, loop: nil)
        if start > 0 { try await render(start) }
        try meanwhile()
        let frames = try await engine.advance(frames: 48_000 * 600, untilIdle: main)
        try await decider.value
        return start + Int(frames)
    }

    @discardableResult
    func render(_ frames: Int) async throws -> Int {
        Int(try await engine.advance(frames: Int64(frames), untilIdle: nil))
    }

    @discardableResult
    func renderToIdle(limit: Int = 48_000 * 600) async throws -> Int {
        Int(try await engine.advance(frames: Int64(limit), untilIdle: main))
    }

    /// Completes the file and reads it.
    func rendered() async throws -> SampleBuffer {
        try await engine.finishOutput()
        return try WAVFile(contentsOf: output).content
    }
}
