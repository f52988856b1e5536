internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// The state that all pipelines of one output share.
final class OutputShared: Sendable {
    let settings = MixSettings()
    let timeline = RenderTimeline()
    let heard: HeardPosition
    /// Locked for a short time by the mixer's streaming thread, and when a pipeline is made.
    let sums = Mutex(SumHistory())
    private let receiver = SharedCallback<OutputEvent>()

    init(sampleRate: Int) { heard = HeardPosition(sampleRate: sampleRate) }

    /// Ends the playing of the timeline; the position stays.
    ///
    /// - Parameter failure: The time at which the device failed, on the monotonic clock.
    func leaveTimeline(failure: UInt64? = nil) {
        heard.hold(failure: failure)
        timeline.state.withLock { $0.isPlayed = false }
    }

    /// Sets or removes the receiver of events.
    func setReceiver(_ onEvent: (@Sendable (OutputEvent) -> Void)?) { receiver.set(onEvent) }

    /// Reports an event. Any thread.
    func post(_ event: OutputEvent) { receiver(event) }
}

/// The rendering state that outlives a pipeline: the source, the next frame, the unheard blocks and the master volume.
final class RenderTimeline: Sendable {
    struct State {
        var source: (any MixSource)?
        var nextFrame: Int64 = 0
        /// The frame of the last change; the output does not return to an earlier one.
        var lastChange: Int64 = 0
        /// Whether a pipeline plays the timeline, or is being made for it.
        var isPlayed = false
        var history = RenderedHistory()
        var volume = GainEnvelope(gain: 1)

        /// A change behind everything that was rendered; returns its frame. No later change returns to a frame before it.
        mutating func changeAtEnd() -> Int64 {
            lastChange = nextFrame
            return nextFrame
        }

        /// Returns to an earlier frame, which is rendered next.
        mutating func rewind(to frame: Int64, frameBytes: Int) {
            lastChange = frame
            nextFrame = frame
            history.truncate(from: frame, frameBytes: frameBytes)
        }
    }

    /// Locked by the rendering thread while it renders a block, and by changes.
    let state = Mutex(State())

    private let rendered = Atomic<Int64>(0)

    /// The first frame that was not rendered. Any thread.
    var nextFrame: Int64 { rendered.load(ordering: .acquiring) }

    func publish(nextFrame: Int64) { rendered.store(nextFrame, ordering: .releasing) }
}
