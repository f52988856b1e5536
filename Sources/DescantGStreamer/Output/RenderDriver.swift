internal import CGStreamer
internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// Renders block by block whenever the leading feed asks for data, on that feed's streaming thread.
///
/// A new pipeline first plays what an earlier one rendered and nobody heard.
final class RenderDriver: Sendable {
    let gate: RenderGate
    /// How many frames the mixer has put out since the pipeline began.
    let mixedFrames = Atomic<Int64>(0)
    /// Whether the pipeline has reached its playing state.
    let isPlaying = Atomic(false)

    private let plan: SessionPlan
    private let shared: OutputShared
    private let volume: MasterVolume
    private let renderer: BlockRenderer
    private let rack: Mutex<FeedRack?>
    private let replay: Mutex<[RenderedSpan]>
    private let retire: @Sendable ([LayerFeed]) -> Void
    private let failed: @Sendable (CoreError) -> Void

    /// - Parameters:
    ///   - replay: What to play before anything new is rendered, in reverse order.
    ///   - retire: Called on the streaming thread with feeds that are to be removed from the pipeline.
    ///   - failed: Called on the streaming thread when a layer cannot be fed.
    init(
        plan: SessionPlan, shared: OutputShared, rack: FeedRack, volume: MasterVolume, replay: [RenderedSpan],
        retire: @escaping @Sendable ([LayerFeed]) -> Void, failed: @escaping @Sendable (CoreError) -> Void
    ) {
        self.plan = plan
        self.shared = shared
        self.volume = volume
        self.retire = retire
        self.failed = failed
        gate = RenderGate(isOffline: plan.destination.isOffline)
        renderer = BlockRenderer(format: plan.format)
        self.rack = Mutex(rack)
        self.replay = Mutex(replay.reversed())
    }

    /// Begins to be called by the leading feed.
    func attach() { rack.withLock { $0?.drive(self) } }

    /// Lets go of the feeds once the pipeline has stopped.
    func detach() {
        let feeds = rack.withLock { rack in
            defer { rack = nil }
            return rack?.takeAll() ?? []
        }
        for feed in feeds { feed.remove() }
    }

    /// Queues the next block. Waits only offline, for frames to be granted or for the source.
    func feed() {
        // The feed asks again only after it got something.
        while !feedOnce() {}
    }

    /// Queues one block; returns whether the feed got something or will never get anything more.
    private func feedOnce() -> Bool {
        switch gate.next(upTo: plan.blockFrames) {
        case .closed: return true
        case .drain:
            rack.withLock { $0?.end() }
            return true
        case .frames(let frames):
            if let span = replay.withLock({ $0.popLast() }) {
                push(span)
                return true
            }
            if plan.isPaced, !isDue() { return false }
            let rendered = render(frames)
            gate.consume(rendered)
            return rendered > 0
        }
    }

    /// Whether it is time for the next block; waits until then otherwise, or until something else is to be done.
    ///
    /// The pipeline itself asks a block earlier than it must: that block would only make commands wait.
    private func isDue() -> Bool {
        let next = shared.ledger.nextFrame
        let lead = next - shared.heard.update(limit: next)
        let excess = lead - Int64(plan.blockFrames) - plan.format.frames(in: 0.003)
        guard excess > 0 else { return true }
        gate.pause(nanoseconds: Int(plan.format.seconds(of: excess) * 1e9))
        return false
    }

    private func render(_ frames: Int) -> Int {
        shared.ledger.book.withLock { book in
            guard !gate.isClosed, let source = book.source else { return 0 }
            let start = book.nextFrame
            guard let span = renderer.render(source, frame: start, frames: frames) else { return 0 }
            book.nextFrame = span.end
            shared.ledger.publish(nextFrame: span.end)
            keep(span, in: &book)
            applyVolume(from: start, to: &book)
            push(span)
            return span.frames
        }
    }

    private func keep(_ span: RenderedSpan, in book: inout RenderLedger.Book) {
        guard !plan.destination.isOffline else { return }
        book.history.append(span)
        book.history.trim(heard: plan.isPaced ? shared.heard.known : shared.heard.update(limit: span.end))
    }

    /// Starts a ramp that was asked for at the first frame of this block, which no element has seen yet.
    private func applyVolume(from frame: Int64, to book: inout RenderLedger.Book) {
        guard let gain = shared.settings.takeRequestedVolume(), gain != book.volume.final else { return }
        let rampFrames = max(1, plan.format.frames(in: 0.01))
        book.volume.forget(before: plan.destination.isOffline ? mixedFrame : shared.heard.known)
        book.volume.ramp(to: gain, from: frame, over: rampFrames)
        volume.follow(book.volume, from: frame, mixedFrame: mixedFrame)
    }

    private var mixedFrame: Int64 { plan.epochFrame + mixedFrames.load(ordering: .relaxed) }

    private func push(_ span: RenderedSpan) {
        do {
            let ended = try rack.withLock { rack in
                try rack?.push(span)
                return isPlaying.load(ordering: .relaxed) ? rack?.takeEnded(mixedFrame: mixedFrame) ?? [] : []
            }
            if !ended.isEmpty { retire(ended) }
        } catch let error as CoreError {
            failed(error)
        } catch {
            failed(.ioError(underlying: error))
        }
    }
}
