internal import CGStreamer
internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// Renders a block whenever the leading input needs data, on that input's streaming thread.
///
/// A new pipeline first plays the unheard blocks of an earlier one.
final class RenderDriver: Sendable {
    let gate: RenderGate
    /// The frames that the mixer has output since the pipeline began.
    let mixedFrames = Atomic<Int64>(0)
    let epochs: OutputEpochs
    /// Whether the pipeline is in its playing state.
    let isPlaying = Atomic(false)
    /// The clock of an output without a device.
    let pacer: FramePacer
    /// The frames of silence so far. This and the next two are used by the streaming thread only.
    private let quietFrames = Atomic<Int64>(0)
    private let hasSlept = Atomic(false)
    private let isFillingQueue = Atomic(true)

    private let plan: SessionPlan
    private let shared: OutputShared
    private let volume: VolumeAutomation
    private let renderer: BlockRenderer
    private let inputs: Mutex<MixerInputs?>
    private let replay: Mutex<[RenderedSpan]>
    private let retire: @Sendable ([LayerInput]) -> Void
    private let failed: @Sendable (CoreError) -> Void

    /// - Parameters:
    ///   - replay: The blocks to play before new ones are rendered.
    ///   - retire: Called on the streaming thread with inputs to remove from the pipeline.
    ///   - failed: Called on the streaming thread when a layer gets no input.
    init(
        plan: SessionPlan, shared: OutputShared, inputs: MixerInputs, volume: VolumeAutomation, replay: [RenderedSpan],
        retire: @escaping @Sendable ([LayerInput]) -> Void, failed: @escaping @Sendable (CoreError) -> Void
    ) {
        self.plan = plan
        self.shared = shared
        self.volume = volume
        self.retire = retire
        self.failed = failed
        epochs = OutputEpochs(frame: plan.epochFrame)
        pacer = FramePacer(sampleRate: plan.format.sampleRate)
        gate = RenderGate(isOffline: plan.destination.isOffline)
        renderer = BlockRenderer(format: plan.format)
        self.inputs = Mutex(inputs)
        self.replay = Mutex(replay.reversed())
    }

    /// Connects the driver to the leading input.
    func attach() { inputs.withLock { $0?.drive(self) } }

    /// Removes the inputs once the pipeline has stopped.
    func detach() {
        let all = inputs.withLock { inputs in
            defer { inputs = nil }
            return inputs?.takeAll() ?? []
        }
        for input in all { input.remove() }
    }

    /// Queues the next block. Waits until it is due; offline, until frames are granted.
    func pushNext() {
        // The input asks again only after it has received a buffer.
        while !pushOnce() {}
    }

    /// Queues one block; returns whether the input received a buffer or the end.
    private func pushOnce() -> Bool {
        switch gate.next(upTo: plan.blockFrames) {
        case .closed: return true
        case .drain:
            if plan.isTimed, !isOver() { return false }
            inputs.withLock { $0?.end() }
            return true
        case .frames(let frames):
            if pushReplayed() { return true }
            if plan.isRewound {
                guard isQueueLow() else { return false }
            } else if plan.isTimed {
                guard isDue() else { return false }
            }
            gate.endEarlyRendering()
            let rendered = render(frames)
            gate.consume(rendered)
            return rendered > 0
        }
    }

    // MARK: In time

    /// Whether the next block is due; otherwise waits until then, or for an interruption.
    ///
    /// A block is due when the one before it is over, or up to its own length earlier after a wake-up.
    private func isDue() -> Bool {
        let next = shared.timeline.nextFrame
        startClock(at: next)
        let early = pacer.nanoseconds(until: next) - Int64(plan.destination.lead * 1e9)
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

    /// Starts the clock of an output without a device with its first frame, and again after a sleep.
    private func startClock(at frame: Int64) {
        if hasSlept.exchange(false, ordering: .relaxed) { pacer.resume(at: frame) }
        _ = pacer.nanoseconds(until: frame)
    }

    /// Whether all rendered blocks are over; otherwise waits.
    private func isOver() -> Bool {
        let left = pacer.nanoseconds(until: shared.timeline.nextFrame)
        if left > 0 { gate.pause(nanoseconds: left, until: .none) }
        return left <= 0
    }

    /// Puts the rendering to sleep after 0.25 s of silence, long enough for meters to show it, and behind the tail of the effects.
    private func sleepIfSilent(after span: RenderedSpan) {
        guard plan.isTimed, span.isQuiet else { return quietFrames.store(0, ordering: .relaxed) }
        let quiet = quietFrames.add(Int64(span.frames), ordering: .relaxed).newValue
        let tail = Int64(shared.settings.effectTail.load(ordering: .relaxed))
        guard quiet >= plan.format.frames(in: Self.longestSilence) + tail else { return }
        hasSlept.store(true, ordering: .relaxed)
        gate.sleep()
    }

    /// The silence that is rendered before the sleep, in seconds.
    private static let longestSilence = 0.25

    // MARK: Before a queue that is replaced

    /// Whether the queue gets the next block; otherwise waits until then, or for an interruption.
    ///
    /// A queue that has fallen to its low level is filled at once, which costs fewer wake-ups than a queue that is always full.
    private func isQueueLow() -> Bool {
        gate.endEarlyRendering()
        let next = shared.timeline.nextFrame
        if plan.isTimed { startClock(at: next) }
        let heard = shared.heard.update(limit: next)
        let start = max(plan.epochFrame, shared.timeline.state.withLock { $0.lastChange })
        let level = QueueLevel(plan: plan, heardSinceChange: heard - start, held: shared.heard.held)
        let ahead = next - heard
        let isFilling = ahead <= level.low || isFillingQueue.load(ordering: .relaxed)
        let isTaken = isFilling && ahead + Int64(plan.blockFrames) <= level.high
        isFillingQueue.store(isTaken, ordering: .relaxed)
        guard !isTaken else { return true }
        let left = max(plan.format.seconds(of: ahead - level.low), Self.shortestWait)
        gate.pause(nanoseconds: Int64(left * 1e9), until: .drainOrWake)
        return false
    }

    /// The shortest wait for the queue, in seconds: the position of a device advances in steps.
    private static let shortestWait = 0.005

    // MARK: Blocks

    private func render(_ frames: Int) -> Int {
        shared.timeline.state.withLock { timeline in
            guard !gate.isClosed, let source = timeline.source else { return 0 }
            let start = timeline.nextFrame
            guard let span = renderer.render(source, frame: start, frames: frames) else { return 0 }
            timeline.nextFrame = span.end
            shared.timeline.publish(nextFrame: span.end)
            keep(span, in: &timeline)
            applyVolume(from: start, to: &timeline)
            push(span)
            sleepIfSilent(after: span)
            return span.frames
        }
    }

    /// Queues the next block of an earlier pipeline; a change sees it either not queued or queued.
    private func pushReplayed() -> Bool {
        shared.timeline.state.withLock { _ in
            guard let span = replay.withLock({ $0.popLast() }) else { return false }
            if plan.isTimed { startClock(at: span.frame) }
            push(span)
            return true
        }
    }

    private func keep(_ span: RenderedSpan, in timeline: inout RenderTimeline.State) {
        guard !plan.destination.isOffline else { return }
        timeline.history.append(span)
        // A pipeline that continues here needs the blocks before it, for the state of equaliser and limiter.
        let heard = shared.heard.update(limit: span.end)
        timeline.history.trim(heard: heard - Int64(2 * plan.blockFrames))
    }

    /// Starts a requested ramp at the first frame of this block, which no element has processed yet.
    private func applyVolume(from frame: Int64, to timeline: inout RenderTimeline.State) {
        guard let gain = shared.settings.takeRequestedVolume(), gain != timeline.volume.final else { return }
        let rampFrames = max(1, plan.format.frames(in: 0.01))
        let heard = plan.destination.isOffline ? epochs.offset + mixedFrame : shared.heard.known
        timeline.volume.forget(before: heard)
        timeline.volume.ramp(to: gain, from: frame, over: rampFrames)
        follow(timeline.volume, from: frame)
    }

    private func follow(_ envelope: GainEnvelope, from frame: Int64) {
        let graphFrame = inputs.withLock { $0?.graphFrame(of: frame) } ?? 0
        volume.follow(envelope, from: frame, graphFrame: graphFrame, passingFrame: passingFrame)
    }

    /// The first frame of the pipeline that may still be in an element behind the mixer. The mixer's output is counted
    /// before a block is passed on, one block at a time.
    private var passingFrame: Int64 { max(0, mixedFrame - Int64(plan.blockFrames)) }

    private var mixedFrame: Int64 { mixedFrames.load(ordering: .relaxed) }

    // MARK: Changes

    /// Runs a closure between two blocks, at the first frame that can still be changed; renders again from there.
    ///
    /// - Parameters:
    ///   - earliest: The first frame that can be replaced, when the block that is being rendered is over; `nil` takes that of the clock.
    ///   - replace: Called with the frame and the frame of the pipeline that belongs to it.
    ///   - body: The change.
    func change<Result>(
        notBefore earliest: () -> Int64?, _ body: (Int64) throws -> Result, replace: (Int64, Int64) -> Void
    ) rethrows -> Result {
        try shared.timeline.state.withLock { timeline in
            let isReplaying = replay.withLock { !$0.isEmpty }
            guard let earliest = earliest() ?? firstChangeableFrame, !isReplaying, !gate.isClosed else {
                return try body(timeline.changeAtEnd())
            }
            // The layers' states before the frame that is known to have been heard are gone.
            let frame = max(earliest, timeline.lastChange, shared.heard.known)
            guard frame < timeline.nextFrame else { return try body(timeline.changeAtEnd()) }
            rewind(to: frame, in: &timeline, replace: replace)
            defer { gate.wake() }
            return try body(frame)
        }
    }

    /// The first frame that an output without a device can still replace.
    private var firstChangeableFrame: Int64? { plan.isTimed ? pacer.frame.map { $0 + 1 } : nil }

    private func rewind(to frame: Int64, in timeline: inout RenderTimeline.State, replace: (Int64, Int64) -> Void) {
        let distance = timeline.nextFrame - frame
        let past = timeline.history.spans(from: .min, frameBytes: plan.format.frameBytes)
        timeline.rewind(to: frame, frameBytes: plan.format.frameBytes)
        shared.timeline.publish(nextFrame: frame)
        inputs.withLock { $0?.rewind(by: distance) }
        let graphFrame = inputs.withLock { $0?.graphFrame(of: frame) } ?? 0
        let sum = ResumedSum(at: frame, format: plan.format, shared: shared, past: past)
        epochs.begin(OutputEpochs.Epoch(graphFrame: graphFrame, frame: frame, sum: sum))
        if volume.isControlled { follow(timeline.volume, from: frame) }
        replace(frame, graphFrame)
    }

    private func push(_ span: RenderedSpan) {
        do {
            let ended = try inputs.withLock { inputs in
                try inputs?.push(span)
                return isPlaying.load(ordering: .relaxed) ? inputs?.takeEnded(mixedFrame: mixedFrame) ?? [] : []
            }
            if !ended.isEmpty { retire(ended) }
        } catch let error as CoreError {
            failed(error)
        } catch {
            failed(.ioError(underlying: error))
        }
    }
}

/// How far the mix is rendered ahead of the heard frame, in frames.
struct QueueLevel {
    /// The level from which the queue is filled again.
    let low: Int64
    /// The level to which it is filled.
    let high: Int64

    /// - Parameters:
    ///   - heardSinceChange: The frames heard since the start or the last change. The queue begins with the length `first` and grows as
    ///     fast as it is heard: a deck that was just opened has decoded little, and the next change makes the queue void.
    ///   - held: The frames that the device has taken for good, which are no reserve for it: the queue's length counts from their end.
    init(plan: SessionPlan, heardSinceChange: Int64, held: Int64) {
        let block = Int64(plan.blockFrames)
        // A short queue does not include the blocks in the pipeline; a long one has room for them.
        let full = max(
            plan.format.frames(in: plan.queue), min(plan.format.frames(in: 0.4), plan.format.frames(in: 2 * plan.queue))
        )
        let length = max(2 * block, min(full, plan.format.frames(in: Self.first) + max(0, heardSinceChange)))
        high = held + length
        low = held + min(length - block, max(plan.format.frames(in: Self.reserve), length / 2))
    }

    /// The queue's length after a start or a change, in seconds.
    private static let first = 0.2
    /// What a queue of this length or more always holds, in seconds.
    private static let reserve = 0.25
}

/// Renders a block into GStreamer buffers, one for each layer.
private struct BlockRenderer {
    private struct Target {
        var layer: LayerID
        var buffer: UnsafeMutablePointer<GstBuffer>
        var map: GstMapInfo
    }

    let format: PCMFormat

    /// Renders up to a number of frames of every active layer.
    ///
    /// - Returns: The rendered span, numbered from `frame`; `nil` when the source rendered no frames.
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
