public import DescantCore
internal import Synchronization

/// The equaliser of an engine's mix as a port for controls: values can be read and set from any thread at once.
///
/// Changes reach the engine in their order; of several that wait the newest counts. Use one for an engine, and set its
/// equaliser through it alone.
public final class MixEqualizer: EQPort, Sendable {
    private enum Step: Sendable {
        case change
        case arrival(CheckedContinuation<Void, Never>)
    }

    private let present: Mutex<EqualizerSettings>
    private let steps: AsyncStream<Step>.Continuation

    /// Takes over an engine's equaliser.
    ///
    /// - Parameters:
    ///   - engine: Whose mix it equalises.
    ///   - settings: What it does from now on.
    public init(engine: any MixingEngine, settings: EqualizerSettings = EqualizerSettings()) {
        present = Mutex(settings)
        let (stream, continuation) = AsyncStream.makeStream(of: Step.self)
        steps = continuation
        Task { [weak self] in
            var sent: EqualizerSettings?
            for await step in stream {
                if let settings = self?.settings, settings != sent {
                    await engine.setEqualizer(settings)
                    sent = settings
                }
                if case .arrival(let waiting) = step { waiting.resume() }
            }
        }
        steps.yield(.change)
    }

    deinit { steps.finish() }

    /// Everything at once.
    public var settings: EqualizerSettings {
        get { present.withLock { $0 } }
        set { change { $0 = newValue } }
    }

    /// Whether the equaliser works.
    public var isEnabled: Bool {
        get { settings.isEnabled }
        set { change { $0.isEnabled = newValue } }
    }

    /// Gain before the bands in decibels, -12…12.
    public var preamp: Float {
        get { Float(settings.preamp) }
        set { change { $0.preamp = Double(newValue) } }
    }

    /// Gains of the ten bands in decibels, -12…12, from the lowest up; of another number of values the beginning is used.
    public var bandGains: [Float] {
        get { settings.bandGains.map(Float.init) }
        set { change { $0.bandGains = newValue.map(Double.init) } }
    }

    /// Waits until the engine has been given everything that was set before the call.
    public func arrive() async {
        await withCheckedContinuation { continuation in
            // Refused only after the end of the stream, which comes with the end of this object.
            if case .terminated = steps.yield(.arrival(continuation)) { continuation.resume() }
        }
    }

    private func change(_ body: (inout EqualizerSettings) -> Void) {
        present.withLock { body(&$0) }
        steps.yield(.change)
    }
}
