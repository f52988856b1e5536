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

    private let plan: SessionPlan
    private let shared: OutputShared
    private let volume: MasterVolume
    private let renderer: BlockRenderer
    private let rack: Mutex<FeedRack?>
    private let replay: Mutex<[RenderedSpan]>
    private let failed: @Sendable (CoreError) -> Void

    /// - Parameters:
    ///   - replay: What to play before anything new is rendered, in reverse order.
    ///   - failed: Called on the streaming thread when a layer cannot be fed.
    init(
        plan: SessionPlan, shared: OutputShared, rack: FeedRack, volume: MasterVolume, replay: [RenderedSpan],
        failed: @escaping @Sendable (CoreError) -> Void
    ) {
        self.plan = plan
        self.shared = shared
        self.volume = volume
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
        rack.withLock { rack in
            rack?.clear()
            rack = nil
        }
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
            let rendered = render(frames)
            gate.consume(rendered)
            return rendered > 0
        }
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
        book.history.trim(heard: shared.heard.update(limit: span.end))
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
            try rack.withLock { try $0?.push(span, mixedFrame: mixedFrame) }
        } catch let error as CoreError {
            failed(error)
        } catch {
            failed(.ioError(underlying: error))
        }
    }
}
