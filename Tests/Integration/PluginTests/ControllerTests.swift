import Descant
import DescantTesting
import Foundation
import Testing

/// A controller over the built-in engine and a real bundle.
@Suite(.timeLimit(.minutes(5))) struct ControllerTests {
    private let shelf: BundleShelf
    private let bundle: URL
    private let environment: AudioEnvironment
    private let log = RecordingLogger()
    private let file: URL

    init() throws {
        shelf = try BundleShelf()
        bundle = try shelf.write(BuiltLibrary.plugin("ToneEngine"))
        environment = AudioEnvironment(plugins: shelf.registry(), logger: log)
        file = try FixtureEncoder().encode(
            TestSignal.ramp(frames: 48_000 * 60).samples(), as: .flac(bits: 16), to: shelf.directory.file("ramp.flac"))
    }

    private var isMapped: Bool { get throws { try LoadedImages.contain(libraryOf: bundle) } }

    private func wait(
        for controller: MediaPlaybackController, _ fits: (MediaPlaybackState) -> Bool
    ) async {
        for await state in controller.updates where fits(state) { return }
    }

    @Test func bundleOfUnselectedEngineIsNotLoaded() async throws {
        let desktop = ScriptedAudioSession()
        let controller = environment.makeController(
            output: .null, session: AudioSessionCoordinator(port: desktop, logger: log),
            selection: MemoryEngineSelection("gstreamer"))
        await controller.launch()
        #expect(await controller.madeEngines == ["gstreamer"])
        #expect(controller.availableEngines == ["gstreamer", "tone"])
        #expect(controller.canUseEngine("tone"))
        #expect(desktop.activationCount == 0)
        try await controller.loadContent(.url(file))
        try await controller.play()
        await controller.pause()
        #expect(await controller.state.activity == .paused)
        try await controller.play()
        await controller.stop()
        #expect(try !isMapped)
        #expect(await controller.madeEngines == ["gstreamer"])
        #expect(desktop.activationCount == 1)
        #expect(desktop.deactivationCount == 1)
        #expect(log.entries.allSatisfy { $0.level <= .info }, "\(log.entries)")
    }

    @Test func positionIsKeptAcrossAnUnsuitableEngine() async throws {
        let controller = environment.makeController(output: .null)
        try await controller.loadContent(.url(file))
        try await controller.seek(to: .time(20))
        try await controller.play()
        #expect(await controller.progress.position >= 20)
        // The tone engine knows tones only; the last engine plays on where it was.
        await #expect(throws: CoreError.self) { try await controller.selectEngine("tone") }
        #expect(try isMapped)
        let state = await controller.state
        #expect(state.engine == "gstreamer")
        #expect(state.activity == .playing)
        #expect((20...50).contains(state.progress.position))
        await controller.stop()
    }

    @Test func playsOnABundlesEngine() async throws {
        let controller = environment.makeController(output: .null, selection: MemoryEngineSelection("tone"))
        let content = MediaContent.url(try #require(URL(string: "tone:440?seconds=0.3")))
        try await controller.loadContent(content)
        try await controller.play()
        #expect(await controller.madeEngines == ["tone"])
        await wait(for: controller) { $0.activity == .finished }
        try await controller.play()
        await wait(for: controller) { $0.activity == .finished }
    }

    @Test func missingBundleFallsBack() async throws {
        try FileManager.default.removeItem(at: bundle)
        environment.plugins.scan()
        let controller = environment.makeController(output: .null, selection: MemoryEngineSelection("tone"))
        await controller.launch()
        #expect(await controller.state.engine == "gstreamer")
        #expect(log.events.filter { $0.level > .info }.map(\.name) == ["controller.fallback"])
    }

    @Test func unreadableFileIsNamedInTheError() async throws {
        let controller = environment.makeController(output: .null, selection: MemoryEngineSelection("gstreamer"))
        await controller.launch()
        await #expect(throws: CoreError.self) {
            try await controller.loadContent(.url(URL(fileURLWithPath: "/nowhere.flac")))
        }
        #expect(await controller.errorMessage?.contains("/nowhere.flac") == true)
    }
}
