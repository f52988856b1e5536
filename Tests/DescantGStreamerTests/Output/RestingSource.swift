import DescantCore
import DescantMixing
import Synchronization

/// A source of one layer that is quiet until it is told to sound; what sounds counts its own frames from 1.
final class RestingSource: MixSource {
    private struct State {
        var next: Int64 = 0
        var sounds: Bool
        var soundedFrames = 0
    }

    private let state: Mutex<State>

    init(sounds: Bool) { state = Mutex(State(sounds: sounds)) }

    var renderedFrames: Int64 { state.withLock { $0.next } }

    func setSounds(_ sounds: Bool) { state.withLock { $0.sounds = sounds } }

    func render(frames: Int, buffer: (LayerID) -> UnsafeMutablePointer<Float>) -> RenderedBlock {
        state.withLock { state in
            let start = state.next
            state.next += Int64(frames)
            let layer = LayerID(rawValue: 1)
            guard state.sounds else { return RenderedBlock(frame: start, frames: frames, layers: [], isQuiet: true) }
            let target = buffer(layer)
            for frame in 0..<frames {
                state.soundedFrames += 1
                for channel in 0..<2 { target[2 * frame + channel] = Float(state.soundedFrames) / 1_048_576 }
            }
            return RenderedBlock(frame: start, frames: frames, layers: [(layer, false)])
        }
    }
}
