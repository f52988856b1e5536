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

    /// Sets or removes the receiver of news.
    func setReceiver(_ news: (@Sendable (OutputEvent) -> Void)?) { receiver.withLock { $0 = news } }

    /// Reports news; any thread.
    func post(_ news: OutputEvent) { receiver.withLock { $0 }?(news) }
}
