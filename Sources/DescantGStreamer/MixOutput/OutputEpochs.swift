internal import DescantCore
internal import Synchronization

/// Maps the frames of a pipeline to those of the output's timeline.
///
/// A pipeline's frames count on without a gap. When the output returns to an earlier frame, the next block belongs to
/// that frame: a new epoch begins there.
final class OutputEpochs: Sendable {
    struct Epoch: Sendable {
        /// The first frame of the pipeline.
        var graphFrame: Int64
        /// Its frame on the output's timeline.
        var frame: Int64
        /// The state of equaliser and limiter before it; `nil` for the pipeline's first epoch.
        var sum: ResumedSum?
    }

    private let epochs: Mutex<[Epoch]>

    init(frame: Int64) { epochs = Mutex([Epoch(graphFrame: 0, frame: frame, sum: nil)]) }

    /// The present distance between the frames of the timeline and those of the pipeline.
    var offset: Int64 { epochs.withLock { $0.last.map { $0.frame - $0.graphFrame } ?? 0 } }

    /// The epoch of a pipeline's frame, and the frames until the next one begins; later calls ask for the same or a later frame.
    func epoch(of graphFrame: Int64) -> (epoch: Epoch, left: Int64) {
        epochs.withLock { epochs in
            let index = epochs.lastIndex { $0.graphFrame <= graphFrame } ?? 0
            epochs.removeFirst(index)
            return (epochs[0], epochs.count > 1 ? epochs[1].graphFrame - graphFrame : .max)
        }
    }

    func begin(_ epoch: Epoch) { epochs.withLock { $0.append(epoch) } }
}
