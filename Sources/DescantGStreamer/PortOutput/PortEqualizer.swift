internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// The equaliser of an output: set from any thread, applied on the one that feeds the pipeline.
final class PortEqualizer: Sendable {
    private struct State {
        var settings = EqualizerSettings()
        var filter: GraphicEqualizer?
    }

    private let state = Mutex(State())

    /// What it does.
    var settings: EqualizerSettings { state.withLock { $0.settings } }

    /// Changes what it does.
    func change(_ body: (inout EqualizerSettings) -> Void) {
        state.withLock { state in
            body(&state.settings)
            state.filter?.set(state.settings)
        }
    }

    /// Begins anew for a shape.
    func prepare(_ format: PCMFormat) {
        state.withLock {
            $0.filter = GraphicEqualizer(
                sampleRate: format.sampleRate, channels: format.channels, settings: $0.settings)
        }
    }

    /// Equalises a block in place.
    func process(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        state.withLock { $0.filter?.process(samples, frames: frames) }
    }
}
