internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// What outlives a pipeline: the source, how far it was rendered, what of that was not heard, and the master volume.
final class RenderTimeline: Sendable {
    struct Book {
        var source: (any MixSource)?
        var nextFrame: Int64 = 0
        var history = RenderedHistory()
        var volume = GainEnvelope(gain: 1)
    }

    /// Held by the rendering thread of the present pipeline while it renders. No caller of the output waits for it.
    let book = Mutex(Book())

    private let rendered = Atomic<Int64>(0)

    /// The first frame that was not rendered; any thread.
    var nextFrame: Int64 { rendered.load(ordering: .acquiring) }

    func publish(nextFrame: Int64) { rendered.store(nextFrame, ordering: .releasing) }
}
