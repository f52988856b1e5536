import DescantCore
import DescantMixing
import Synchronization

/// Collects the blocks of a callback output.
final class CollectedMix: Sendable {
    private struct State {
        var samples: [Float] = []
        var channels = 1
        var isContiguous = true
    }

    private let state = Mutex(State())
    private let hub = EventHub<Int>(initial: 0)

    var samples: [Float] { state.withLock { $0.samples } }
    var frameCount: Int { state.withLock { $0.samples.count / $0.channels } }
    /// Whether every block began where the one before it ended.
    var isContiguous: Bool { state.withLock { $0.isContiguous } }

    func receive(_ block: PCMBlock) {
        let frames = state.withLock { state in
            state.channels = block.format.channels
            if block.frame != Int64(state.samples.count / state.channels) { state.isContiguous = false }
            state.samples += block.samples
            return state.samples.count / state.channels
        }
        hub.post(frames)
    }

    /// Waits until a number of frames has arrived.
    func wait(frames: Int) async throws {
        for await count in hub.stream(buffer: .newest) where count >= frames { return }
    }
}
