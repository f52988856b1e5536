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
    /// The time, for outputs without a device.
    let pacer: FramePacer
    /// For how long nothing has sounded; touched by the streaming thread only, as the next one.
    private let quietFrames = Atomic<Int64>(0)
    private let hasRested = Atomic(false)

    private let plan: SessionPlan
    private let shared: OutputShared
    private let volume: MasterVolume
    private let renderer: BlockRenderer
    private let rack: Mutex<MixerInputs?>
    private let replay: Mutex<[RenderedSpan]>
    private let retire: @Sendable ([LayerInput]) -> Void
    private let failed: @Sendable (CoreError) -> Void

    /// - Parameters:
    ///   - replay: What to play before anything new is rendered, in reverse order.
    ///   - retire: Called on the streaming thread with feeds that are to be removed from the pipeline.
    ///   - failed: Called on the streaming thread when a layer cannot be fed.
    init(
        plan: SessionPlan, shared: OutputShared, rack: MixerInputs, volume: MasterVolume, replay: [RenderedSpan],
        retire: @escaping @Sendable ([LayerInput]) -> Void, failed: @escaping @Sendable (CoreError) -> Void
    ) {
        self.plan = plan
        self.shared = shared
        self.volume = volume
        self.retire = retire
        self.failed = failed
        pacer = FramePacer(sampleRate: plan.format.sampleRate)
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
            if plan.isPaced, !isOver() { return false }
            rack.withLock { $0?.end() }
            return true
        case .frames(let frames):
            if let span = replay.withLock({ $0.popLast() }) {
                push(span)
                return true
            }
            if plan.isPaced, !isDue() { return false }
            gate.endEarlyRendering()
            let rendered = render(frames)
            gate.consume(rendered)
            return rendered > 0
        }
    }

    // MARK: In time

    /// Whether the next block is to be rendered; waits until then otherwise, or until something else is to be done.
    ///
    /// A block is rendered when the one before it is over, or up to its own length earlier when it is shortened.
    private func isDue() -> Bool {
        let next = shared.ledger.nextFrame
        if hasRested.exchange(false, ordering: .relaxed) { pacer.resume(at: next) }
        let early = pacer.nanoseconds(until: next)
        guard early > 0 else { return true }
        guard gate.rendersEarly else {
            gate.pause(nanoseconds: early, until: .drainOrWake)
            return false
        }
        let block = Int64(plan.format.seconds(of: Int64(plan.blockFrames)) * 1e9)
        guard early > block else { return true }
        gate.pause(nanoseconds: early - block, until: .drain)
        return false
    }

    /// Whether everything rendered was played; waits for a while otherwise.
    private func isOver() -> Bool {
        let left = pacer.nanoseconds(until: shared.ledger.nextFrame)
        if left > 0 { gate.pause(nanoseconds: left, until: .none) }
        return left <= 0
    }

    /// Lets rendering rest after a while in which nothing sounded; long enough for meters to show it.
    private func restIfQuiet(after span: RenderedSpan) {
        guard plan.isPaced, span.isQuiet else { return quietFrames.store(0, ordering: .relaxed) }
        let quiet = quietFrames.add(Int64(span.frames), ordering: .relaxed).newValue
        guard quiet >= plan.format.frames(in: Self.longestSilence) else { return }
        hasRested.store(true, ordering: .relaxed)
        gate.sleep()
    }

    /// How much silence is rendered before rendering rests, in seconds.
    private static let longestSilence = 0.25

    // MARK: Blocks

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
            restIfQuiet(after: span)
            return span.frames
        }
    }

    private func keep(_ span: RenderedSpan, in book: inout RenderTimeline.Book) {
        guard !plan.destination.isOffline else { return }
        book.history.append(span)
        // A pipeline that goes on here needs what its equaliser and limiter have to remember: from a block's beginning on.
        let heard = shared.heard.update(limit: span.end)
        book.history.trim(heard: heard - Int64(2 * plan.blockFrames))
    }

    /// Starts a ramp that was asked for at the first frame of this block, which no element has seen yet.
    private func applyVolume(from frame: Int64, to book: inout RenderTimeline.Book) {
        guard let gain = shared.settings.takeRequestedVolume(), gain != book.volume.final else { return }
        let rampFrames = max(1, plan.format.frames(in: 0.01))
        book.volume.forget(before: plan.destination.isOffline ? mixedFrame : shared.heard.known)
        book.volume.ramp(to: gain, from: frame, over: rampFrames)
        volume.follow(book.volume, from: frame, passingFrame: passingFrame)
    }

    /// The first frame that may still be on its way through the elements behind the mixer, which counts a block before it passes
    /// on: one block at a time.
    private var passingFrame: Int64 { max(plan.epochFrame, mixedFrame - Int64(plan.blockFrames)) }

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

/// Has a source write one block straight into GStreamer buffers, one a layer.
struct BlockRenderer {
    private struct Target {
        var layer: LayerID
        var buffer: UnsafeMutablePointer<GstBuffer>
        var map: GstMapInfo
    }

    let format: PCMFormat

    /// Renders up to a number of frames of every active layer.
    ///
    /// - Returns: What was rendered, numbered from `frame`; `nil` when the source gave nothing.
    func render(_ source: any MixSource, frame: Int64, frames: Int) -> RenderedSpan? {
        var targets: [Target] = []
        let block = source.render(frames: frames) { layer in
            if let known = targets.first(where: { $0.layer == layer }) { return Self.samples(of: known) }
            let target = Self.makeTarget(for: layer, bytes: frames * format.frameBytes)
            targets.append(target)
            return Self.samples(of: target)
        }
        let buffers = targets.map { ($0.layer, finish($0, frames: block.frames)) }
        guard block.frames > 0 else { return nil }
        let layers = block.layers.map { layer in
            RenderedSpan.Layer(
                id: layer.id, buffer: layer.isSilent ? nil : buffers.first { $0.0 == layer.id }?.1)
        }
        return RenderedSpan(frame: frame, frames: block.frames, layers: layers, isQuiet: block.isQuiet)
    }

    private static func makeTarget(for layer: LayerID, bytes: Int) -> Target {
        var map = GstMapInfo()
        guard let buffer = gst_buffer_new_allocate(nil, gsize(bytes), nil),
            gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0
        else { fatalError("out of memory: no buffer of \(bytes) bytes for \(layer)") }
        return Target(layer: layer, buffer: buffer, map: map)
    }

    private static func samples(of target: Target) -> UnsafeMutablePointer<Float> {
        UnsafeMutableRawPointer(target.map.data).assumingMemoryBound(to: Float.self)
    }

    private func finish(_ target: Target, frames: Int) -> RenderedBuffer {
        var map = target.map
        gst_buffer_unmap(target.buffer, &map)
        gst_buffer_set_size(target.buffer, gssize(frames * format.frameBytes))
        return RenderedBuffer(taking: target.buffer)
    }
}
