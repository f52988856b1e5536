import Descant
import DescantTesting
import Foundation
import Testing

/// The tone engine as a host uses it: found by its scheme, loaded, playing through the host's mixer.
@Suite(.timeLimit(.minutes(10))) struct ToneEngineTests {
    private let shelf: BundleShelf
    private let registry: PluginRegistry
    private let mixer: any MixingEngine
    private let output: ManualOutput

    init() throws {
        shelf = try BundleShelf()
        try shelf.write(BuiltLibrary.plugin("ToneEngine"))
        registry = shelf.registry()
        let manual = ManualMixingEngine.offline()
        (mixer, output) = (manual.engine, manual.output)
    }

    private func tone(_ text: String) throws -> MediaContent { .url(try #require(URL(string: text))) }

    @Test func playsASineOnItsOwnLayer() async throws {
        let provider = try #require(registry.providers(of: .engine).first { $0.provision.schemes.contains("tone") })
        let engine = try registry.makeEngine(provider.provision.identifier, mixer: mixer)
        try await engine.loadContent(tone("tone:1000?seconds=0.5"))
        #expect(await engine.engineState == .ready)
        #expect(await engine.duration == 0.5)
        var states = engine.stateUpdates.buffered(.bounded(8)).makeAsyncIterator()
        #expect(await states.next() == .ready)
        try await engine.play()
        #expect(await states.next() == .playing)
        _ = try await mixer.advance(frames: 48_000, untilIdle: nil)
        #expect(await states.next() == .finished)
        #expect(await mixer.status(of: mixer.mainLayer).activity == .idle)

        let left = output.rendered.channel(0)
        #expect(left.count == 48_000)
        #expect(left[24_000...].allSatisfy { $0 == 0 })
        let expected = (0..<24_000).map { Float(0.5 * sin(2 * Double.pi * Double($0) / 48)) }
        let difference = zip(left, expected).map { abs($0 - $1) }.max() ?? 1
        #expect(difference < 1e-6, "\(difference)")
    }

    @Test func pausesSeeksAndStops() async throws {
        let engine = try registry.makeEngine("tone", mixer: mixer)
        try await engine.loadContent(tone("tone:440?seconds=10"))
        try await engine.play()
        _ = try await mixer.advance(frames: 4_800, untilIdle: nil)
        await engine.pause()
        _ = try await mixer.advance(frames: 4_800, untilIdle: nil)
        #expect(await engine.isPaused)
        #expect(abs(await engine.currentTime - 0.1) < 0.02)
        try await engine.seek(to: .fraction(0.5))
        try await engine.play()
        _ = try await mixer.advance(frames: 4_800, untilIdle: nil)
        #expect(abs(await engine.currentTime - 5.1) < 0.03)
        await engine.stop()
        #expect(await engine.engineState == .idle)
        await #expect(throws: CoreError.self) { try await engine.seek(to: .time(1)) }
    }

    @Test(arguments: ["tone:", "tone:-3", "tone:90000", "tone:440?seconds=0", "tone:440?seconds=x", "tune:440"])
    func otherURLsAreRefused(_ text: String) async throws {
        let engine = try registry.makeEngine("tone", mixer: mixer)
        let content = try tone(text)
        let error = await #expect(throws: CoreError.self) { try await engine.loadContent(content) }
        #expect(error?.message.contains(text) == true)
        guard case .failed = await engine.engineState else {
            Issue.record("\(await engine.engineState)")
            return
        }
    }

    @Test func needsAMixer() throws {
        #expect(throws: CoreError.unsupported("tone: this host has no mixer to play through")) {
            _ = try registry.makeEngine("tone")
        }
        #expect(registry.unavailable.isEmpty)
    }
}
