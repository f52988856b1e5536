import Descant
import DescantTesting
import Foundation

/// A controller of real voices with a scripted session; a test controls the rendering.
struct SpokenController {
    static let sampleRate = 22_050

    let manual = ManualMixingEngine.offline(format: PCMFormat(sampleRate: sampleRate, channels: 1))
    let log = RecordingLogger()
    let desktop = ScriptedAudioSession()
    let controller: MediaPlaybackController

    init(
        _ registry: PluginRegistry, selected: RealVoice, policy: EngineInitializationPolicy = .onDemand,
        settings: SpeechSettings = SpokenSession.settings
    ) {
        let catalog = RegistryEngines(
            registry,
            speech: { [log] name, synthesizer, mixer in
                SpeechEngine(
                    identifier: name, synthesizer: synthesizer, mixer: mixer, settings: settings, logger: log)
            }, mixer: { [manual] in manual.engine })
        controller = MediaPlaybackController(
            catalog: catalog, session: AudioSessionCoordinator(port: desktop, logger: log),
            selection: MemoryEngineSelection(selected.rawValue), policy: policy, logger: log)
    }

    func render(_ seconds: Double) async throws {
        _ = try await manual.engine.advance(frames: Int64(seconds * Double(Self.sampleRate)), untilIdle: nil)
    }

    /// Renders until the controller is in a state.
    func render(until activity: MediaPlaybackState.Activity) async throws {
        while await controller.state.activity != activity { try await render(0.5) }
    }

    /// Renders until a place in the text is heard.
    func render(to characters: Int) async throws {
        while await controller.progress.characterOffset ?? 0 < characters { try await render(0.05) }
    }

    var samples: [Float] { manual.rendered.samples }
}
