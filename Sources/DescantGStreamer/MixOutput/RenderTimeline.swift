internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// What all pipelines of one output share.
final class OutputShared: Sendable {
    let settings = MixSettings()
    let ledger = RenderTimeline()
    let heard: HeardPosition
    /// Held for an instant by the mixer's streaming thread, and when a pipeline is made.
    let sums = Mutex(SumHistory())
    private let receiver = Mutex<(@Sendable (OutputEvent) -> Void)?>(nil)
    /// The first frame that nothing was reported of; frames that are played again are not reported again.
    let reportedFrame = Atomic<Int64>(0)

    init(sampleRate: Int) { heard = HeardPosition(sampleRate: sampleRate) }

    /// Sets or removes the receiver of events.
    func setReceiver(_ onEvent: (@Sendable (OutputEvent) -> Void)?) { receiver.withLock { $0 = onEvent } }

    /// Reports an event. Any thread.
    func post(_ event: OutputEvent) { receiver.withLock { $0 }?(event) }
}

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
