internal import CGStreamer
internal import CGStreamerShim
internal import DescantCore
internal import DescantMixing
internal import Dispatch
internal import Foundation
internal import Synchronization

/// A session without a sound device: a ring for rendered frames, and a pipeline that writes them to a file, passes them to a closure or drops
/// them in time.
final class PipelineSession: PortSession {
    private let plan: SessionPlan
    private let ring: SampleRing
    private let equalizer: PortEqualizer
    private let pipeline: GStreamerElement
    private let source: GStreamerElement
    private let sink: GStreamerElement
    private let pump: CallbackPump?
    private let control = DispatchQueue(label: "descant.output.port")

    /// Frames pushed to the pipeline.
    private let pushed = Atomic<Int64>(0)
    /// Frames of silence between those, because the ring was empty.
    private let gap = Atomic<Int64>(0)
    /// Frames of silence since the last pushed frame.
    private let silence = Atomic<Int64>(0)
    private let hasFailed = Atomic(false)
    private let failure = Mutex<CoreError?>(nil)
    private let ended = EventCount()
    /// The last position of a closed session.
    private let finalPosition = Mutex<Int64?>(nil)

    /// Builds the pipeline.
    ///
    /// - Throws: `CoreError.unsupported` when an element is missing or refuses the shape.
    init(plan: SessionPlan, ring: SampleRing, equalizer: PortEqualizer) throws {
        self.plan = plan
        self.ring = ring
        self.equalizer = equalizer
        pipeline = try GStreamerElement.pipeline()
        source = try GStreamerElement("appsrc")
        source.set("caps", MixerInputs.caps(of: plan.format))
        source.set("format", "time")
        source.set("block", false)
        source.set("emit-signals", false)
        for limit in ["max-bytes", "max-buffers", "max-time"] { source.set(limit, 0) }
        let chain = try SinkChain(plan: plan)
        sink = chain.sink
        pump = chain.pump
        // No other element keeps the time here.
        if plan.destination.isSilentInTime {
            sink.set("sync", true)
            // The time begins with the first frames.
            sink.set("async", true)
        }
        let flow = [source] + chain.elements
        for element in flow { pipeline.add(element) }
        do {
            try GStreamerElement.link(flow)
        } catch {
            throw CoreError.unsupported("\(plan.destination.name) does not take \(plan.format.words)")
        }
        bind()
        listen()
    }

    // MARK: Starting and stopping

    func start(limit seconds: Double) throws {
        let isReady = inTime(seconds) { $0.setState(GST_STATE_READY) }
        if let error = failure.withLock({ $0 }) { throw error }
        guard let isReady else { throw SinkFailure.timeout(seconds: seconds, destination: plan.destination) }
        guard isReady else {
            throw SinkFailure.error(text: "it cannot be opened", debug: "", destination: plan.destination)
        }
        if let pump {
            pipeline.setState(GST_STATE_PAUSED)
            pump.start()
        }
        // Playback begins with the first frames.
        control.async { [pipeline] in pipeline.setState(GST_STATE_PLAYING) }
    }

    /// Releases everything; a file gets the frames in the ring first.
    func close() {
        ring.end()
        if plan.destination.isOffline { awaitEnd(limit: 60) }
        finalPosition.withLock { $0 = $0 ?? heardFrames() }
        _ = inTime(2) { $0.setState(GST_STATE_NULL) }
        BusListener.stop(pipeline)
    }

    private func awaitEnd(limit seconds: Double) {
        let deadline = MonotonicClock().now() + UInt64(seconds * 1e9)
        while true {
            let seen = ended.raises
            if hasFailed.load(ordering: .acquiring) || seen > 0 { return }
            if !ended.wait(after: seen, deadline: deadline) {
                return fail(SinkFailure.timeout(seconds: seconds, destination: plan.destination))
            }
        }
    }

    /// Runs a call that may hang in a receiver.
    ///
    /// - Returns: The call's result; `nil` after the limit, when the call is abandoned.
    private func inTime(_ seconds: Double, _ body: @escaping @Sendable (GStreamerElement) -> Bool) -> Bool? {
        let done = EventCount()
        let outcome = Mutex(false)
        control.async { [pipeline] in
            let result = body(pipeline)
            outcome.withLock { $0 = result }
            done.raise()
        }
        guard done.wait(after: 0, deadline: MonotonicClock().now() + UInt64(seconds * 1e9)) else { return nil }
        return outcome.withLock { $0 }
    }

    // MARK: Rendering

    func render(_ buffer: UnsafePointer<Float>, frames: Int) throws -> Int {
        if hasFailed.load(ordering: .acquiring), let error = failure.withLock({ $0 }) { throw error }
        return ring.write(buffer, frames: frames)
    }

    var pending: Int {
        let heard = finalPosition.withLock { $0 ?? heardFrames() }
        return max(0, ring.written - Int(heard))
    }

    func takeBack() -> Int? { nil }

    var error: CoreError? { failure.withLock { $0 } }

    /// The heard frames; offline, all frames in the ring so far.
    private func heardFrames() -> Int64 {
        guard !plan.destination.isOffline else { return Int64(ring.written) }
        return min(pushed.load(ordering: .acquiring), max(0, streamPosition - gap.load(ordering: .acquiring)))
    }

    /// The pipeline's time in frames.
    private var streamPosition: Int64 {
        guard let nanoseconds = sink.positionNanoseconds else { return 0 }
        return Int64(gst_util_uint64_scale_round(UInt(nanoseconds), UInt(plan.format.sampleRate), 1_000_000_000))
    }

    // MARK: Feeding, on the source's streaming thread

    private func bind() {
        var callbacks = GstAppSrcCallbacks()
        callbacks.need_data = portSourceNeedsData
        // Weak: the session owns the source.
        let box = Unmanaged.passRetained(SessionBox(self)).toOpaque()
        gst_app_src_set_callbacks(source.as(GstAppSrc.self), &callbacks, box, releaseObject)
    }

    /// The wait for frames before an output without a device gets silence, in nanoseconds: its time goes on.
    private static let silenceDelay: UInt64 = 10_000_000

    fileprivate func feed(_ source: UnsafeMutablePointer<GstAppSrc>) {
        let mayWait = plan.destination.isOffline || pushed.load(ordering: .relaxed) == 0
        guard let available = ring.wait(limit: mayWait ? nil : Self.silenceDelay) else { return pushSilence(source) }
        let frames = min(available, plan.blockFrames)
        guard frames > 0, let buffer = makeBuffer(frames: frames) else {
            gst_app_src_end_of_stream(source)
            return
        }
        var map = GstMapInfo()
        if gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0 {
            map.data.withMemoryRebound(to: Float.self, capacity: frames * plan.format.channels) { samples in
                ring.read(into: samples, frames: frames)
                equalizer.process(samples, frames: frames)
            }
            gst_buffer_unmap(buffer, &map)
        }
        let silent = silence.exchange(0, ordering: .relaxed)
        let gap = gap.add(silent, ordering: .releasing).newValue
        let first = pushed.load(ordering: .relaxed)
        stamp(buffer, from: first + gap, frames: frames)
        pushed.store(first + Int64(frames), ordering: .releasing)
        gst_app_src_push_buffer(source, buffer)
    }

    private func pushSilence(_ source: UnsafeMutablePointer<GstAppSrc>) {
        guard let buffer = makeBuffer(frames: plan.blockFrames) else { return }
        gst_buffer_memset(buffer, 0, 0, gst_buffer_get_size(buffer))
        let silent = silence.load(ordering: .relaxed)
        let first = pushed.load(ordering: .relaxed) + gap.load(ordering: .relaxed) + silent
        stamp(buffer, from: first, frames: plan.blockFrames)
        silence.store(silent + Int64(plan.blockFrames), ordering: .relaxed)
        gst_app_src_push_buffer(source, buffer)
    }

    private func makeBuffer(frames: Int) -> UnsafeMutablePointer<GstBuffer>? {
        gst_buffer_new_allocate(nil, gsize(frames * plan.format.channels * MemoryLayout<Float>.size), nil)
    }

    private func stamp(_ buffer: UnsafeMutablePointer<GstBuffer>, from frame: Int64, frames: Int) {
        buffer.pointee.pts = nanoseconds(frame)
        buffer.pointee.duration = nanoseconds(frame + Int64(frames)) - nanoseconds(frame)
    }

    private func nanoseconds(_ frame: Int64) -> GstClockTime {
        gst_util_uint64_scale(UInt(max(0, frame)), 1_000_000_000, UInt(plan.format.sampleRate))
    }

    // MARK: Messages

    private func listen() {
        let destination = plan.destination
        BusListener.listen(to: pipeline) { [weak self] message in
            switch message.pointee.type {
            case GST_MESSAGE_EOS: self?.ended.raise()
            case GST_MESSAGE_ERROR: self?.fail(SinkFailure.error(from: message, destination: destination))
            default: break
            }
        }
    }

    func fail(_ error: CoreError) {
        failure.withLock { $0 = $0 ?? error }
        hasFailed.store(true, ordering: .releasing)
        ended.raise()
    }
}

/// A weak reference to a session, as an object that C can hold.
private final class SessionBox: Sendable {
    weak let session: PipelineSession?
    init(_ session: PipelineSession) { self.session = session }
}

// Global and nonisolated: a closure written in isolated code traps when a GStreamer thread calls it.

private func portSourceNeedsData(_ source: UnsafeMutablePointer<GstAppSrc>?, _ length: guint, _ data: gpointer?) {
    guard let source, let data else { return }
    Unmanaged<SessionBox>.fromOpaque(data).takeUnretainedValue().session?.feed(source)
}
