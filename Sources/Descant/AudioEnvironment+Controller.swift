internal import DescantCore
public import DescantGStreamer
public import DescantPlayback
internal import Synchronization

extension AudioEnvironment {
    /// Makes a controller over the built-in engine, `gstreamer`, and the engines and synthesizers of every installed bundle; a
    /// synthesizer is an engine under its own name.
    ///
    /// No engine is made before the controller's `launch()` or first play, and no bundle loaded before its engine is selected.
    ///
    /// - Parameters:
    ///   - output: Where engines play that make sound here; all of them through one mixer.
    ///   - session: The audio session to play in; `nil` for that of the output, see ``session(for:)``.
    ///   - selection: Where the selected engine is kept.
    ///   - policy: When engines are made.
    ///   - gate: Why the host does not let an engine be used; `nil` when it may.
    public func makeController(
        output: OutputDestination = .pulse(), session: AudioSessionCoordinator? = nil,
        selection: any EngineSelection = MemoryEngineSelection(),
        policy: EngineInitializationPolicy = .selectedAtLaunch,
        gate: @escaping @Sendable (String) -> String? = { _ in nil }
    ) -> MediaPlaybackController {
        let shared = SharedMixer { try self.makeEngine(output: output) }
        let speech: RegistryEngines.SpeechMaker = { [clock, logger] name, synthesizer, mixer in
            SpeechEngine(
                identifier: name, synthesizer: synthesizer, mixer: mixer, clock: clock, logger: logger)
        }
        let catalog = RegistryEngines(plugins, mixerName: "gstreamer", speech: speech, gate: gate) { try shared.mixer }
        return MediaPlaybackController(
            catalog: catalog, session: session ?? self.session(for: output), selection: selection, policy: policy,
            clock: clock, logger: logger)
    }
}

/// One mixer for all engines of a controller, made when the first of them needs it.
private final class SharedMixer: Sendable {
    private let made = Mutex<(any MixingEngine)?>(nil)
    private let make: @Sendable () throws -> any MixingEngine

    init(_ make: @escaping @Sendable () throws -> any MixingEngine) { self.make = make }

    var mixer: any MixingEngine {
        get throws {
            try made.withLock { made in
                if let made { return made }
                let new = try make()
                made = new
                return new
            }
        }
    }
}
