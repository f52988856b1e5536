internal import CGStreamer
internal import CPulse
internal import DescantCore
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Plays the blocks of a pipeline on a sound server.
///
/// A write at an earlier position overwrites the queue, and a PulseAudio server even renders again what its device has not played.
///
/// libpulse runs on a thread of its own. The pipeline's streaming thread writes the blocks: a thread between them would cost two wake-ups
/// a block.
final class PulseWriter: QueueWriter {
    // @unchecked: the objects belong to libpulse. Its loop is locked for every use, and they are freed once, when both
    // threads have stopped using them.
    private struct Handles: @unchecked Sendable {
        let loop: OpaquePointer
        let context: OpaquePointer
    }

    /// What the callbacks have learnt. They run with libpulse's loop locked, so this lock is never held while the loop is
    /// being locked.
    private struct Link: @unchecked Sendable {
        // @unchecked: as for ``Handles``.
        var stream: OpaquePointer?
        /// Whether the server has accepted the stream.
        var isReady = false
        /// Whether the server is PipeWire; its device takes sound in longer steps.
        var isPipeWire = false
        /// Whether the server takes back what its device has not played.
        var rewinds = false
        /// Seconds that the device holds, at most, by the server's latest answers.
        var held = 0.0
        /// When the server's last answer about the position came: on the monotonic clock, and on the wall clock of its time stamp.
        var answer: (monotonic: UInt64, wall: timeval)?
        /// When PipeWire's device takes its blocks.
        var steps: PipeWireSteps
        /// Whether PipeWire will be asked again soon.
        var asks = false
        var deviceName: String?
        var chosen = ChosenDevice(nil)
        /// The role that the stream is to have.
        var role: AudioRole
        /// The role that the server was told.
        var announcedRole = AudioRole("")

        /// Seconds between the heard frame and the first frame that can be replaced, at most.
        var margin: Double {
            if rewinds { return 0.015 }
            // What a device holds that does not give it back, such as one of Bluetooth, is heard before the change. PipeWire tells the
            // position of its last step, which is as long as what most devices hold; its longest step has 43 ms.
            return isPipeWire ? max(0.025, held + min(held, 0.043) + 0.003) : max(0.015, held * 1.1 + 0.004)
        }
    }

    private struct State {
        var handles: Handles?
        var isCorked = true
        /// The output frame of the stream's first frame; less after a gap, behind which frames are heard later.
        var base: Int64
        var cursor: BlockCursor
        /// Whether the next write overwrites the queue.
        var overwrites = false
        /// The first frame of the stream that was never written.
        var writtenEnd: Int64 = 0
    }

    private let plan: SessionPlan
    private let report: @Sendable (QueueEvent) -> Void
    private let state: Mutex<State>
    private let link: Mutex<Link>
    /// Raised when the stream is ready, when frames are replaced, and at the end.
    private let readiness = EventCount()
    private let isClosed = Atomic(false)

    /// - Parameters:
    ///   - plan: Its format is that of the blocks.
    ///   - report: Receives events, on any thread; must not wait.
    init(plan: SessionPlan, report: @escaping @Sendable (QueueEvent) -> Void) {
        self.plan = plan
        self.report = report
        state = Mutex(State(base: plan.epochFrame, cursor: BlockCursor(nextFrame: plan.epochFrame)))
        link = Mutex(Link(steps: PipeWireSteps(sampleRate: plan.format.sampleRate), role: plan.role))
    }

    private var device: String? {
        if case .pulse(let device, _, _) = plan.destination { device } else { nil }
    }

    private var server: String? {
        if case .pulse(_, _, let server) = plan.destination { server } else { nil }
    }

    // MARK: Starting

    /// Connects to the server. May block while a server's address is looked up.
    func start() {
        guard let loop = pa_threaded_mainloop_new() else { return report(.failed("libpulse has no memory")) }
        pa_threaded_mainloop_set_name(loop, "descant-pulse")
        guard let context = pa_context_new(pa_threaded_mainloop_get_api(loop), plan.applicationName) else {
            pa_threaded_mainloop_free(loop)
            return report(.failed("libpulse has no memory"))
        }
        state.withLock { $0.handles = Handles(loop: loop, context: context) }
        // Released when the loop has stopped and no callback can run.
        pa_context_set_state_callback(context, writerContextChanged, Unmanaged.passRetained(self).toOpaque())
        guard pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else {
            return report(.failed(Self.text(pa_context_errno(context))))
        }
        guard pa_threaded_mainloop_start(loop) >= 0 else { return report(.failed("libpulse has no thread")) }
    }

    private static func text(_ code: Int32) -> String {
        pa_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }

    // MARK: Ending

    func stop() {
        isClosed.store(true, ordering: .releasing)
        readiness.raise()
    }

    func close() {
        stop()
        let handles = state.withLock { state in
            defer { state.handles = nil }
            return state.handles
        }
        guard let handles else { return }
        pa_threaded_mainloop_lock(handles.loop)
        pa_context_set_state_callback(handles.context, nil, nil)
        pa_context_set_subscribe_callback(handles.context, nil, nil)
        if let stream = link.withLock({ $0.stream.take() }) {
            pa_stream_set_state_callback(stream, nil, nil)
            pa_stream_set_write_callback(stream, nil, nil)
            pa_stream_set_moved_callback(stream, nil, nil)
            pa_stream_set_latency_update_callback(stream, nil, nil)
            pa_stream_disconnect(stream)
            pa_stream_unref(stream)
        }
        pa_context_disconnect(handles.context)
        pa_context_unref(handles.context)
        pa_threaded_mainloop_unlock(handles.loop)
        pa_threaded_mainloop_stop(handles.loop)
        pa_threaded_mainloop_free(handles.loop)
        Unmanaged.passUnretained(self).release()
    }

    // MARK: Position

    var heardFrame: Int64? {
        state.withLock { state in
            guard !state.isCorked, let heard = streamPosition(state)?.heard else { return nil }
            return min(state.cursor.end, max(plan.epochFrame, heard + state.base))
        }
    }

    var firstChangeableFrame: Int64? {
        let margin = link.withLock { $0.margin }
        return state.withLock { state in
            // A write may reach the server 5 ms later.
            guard !state.isCorked, let position = streamPosition(state, allowance: 0.005) else { return nil }
            let heard = max(0, position.heard)
            guard position.isExact else { return heard + state.base + plan.format.frames(in: margin) }
            return max(heard + plan.format.frames(in: 0.015), position.taken) + state.base
        }
    }

    var heldFrames: Int64 { link.withLock { $0.rewinds ? 0 : plan.format.frames(in: $0.held) } }

    /// The heard frame and the next frame that the server takes, counted from the stream's first frame.
    ///
    /// - Parameter allowance: Seconds from now; a step that PipeWire's device begins until then counts as taken.
    /// - Returns: Also whether the steps of PipeWire's device are known. Otherwise what was taken is estimated, as if it rose steadily.
    private func streamPosition(_ state: State, allowance: Double = 0) -> (heard: Int64, taken: Int64, isExact: Bool)? {
        guard let handles = state.handles, let stream = link.withLock({ $0.stream }) else { return nil }
        pa_threaded_mainloop_lock(handles.loop)
        defer { pa_threaded_mainloop_unlock(handles.loop) }
        guard let info = pa_stream_get_timing_info(stream)?.pointee, info.read_index_corrupt == 0,
            (0..<1 << 52).contains(info.read_index)
        else { return nil }
        // A server that has taken all that was written calls the stream not playing, while its device still plays it.
        let isRunning = pa_stream_is_suspended(stream) == 0 && (info.playing != 0 || info.read_index > 0)
        let ahead = isRunning ? age(of: info.timestamp) : 0
        let (rate, answered) = (Double(plan.format.sampleRate), Double(info.read_index / Int64(plan.format.frameBytes)))
        let held = min(Self.longestHold, Double(info.sink_usec) / 1e6)
        let steps = link.withLock { $0.steps }
        let heard = answered + (ahead - held - steps.lead(held: held)) * rate
        let exact = isRunning ? steps.taken(after: ahead + allowance, held: held) : nil
        let taken = exact ?? answered + ahead * rate
        return (Int64(heard.rounded(.down)), Int64(taken.rounded(.up)), exact != nil)
    }

    /// Seconds since a time stamp of the server's last answer, 0…2. Since the answer itself they are those of the monotonic clock: the wall
    /// clock may be set, and goes on while the machine is suspended.
    private func age(of timestamp: timeval) -> Double {
        guard let answer = link.withLock({ $0.answer }) else { return 0 }
        let since = Double(MonotonicClock().now() - answer.monotonic) / 1e9
        return min(2, Self.seconds(from: timestamp, to: answer.wall) + since)
    }

    /// At least 0.
    private static func seconds(from first: timeval, to second: timeval) -> Double {
        max(0, Double(second.tv_sec - first.tv_sec) + Double(second.tv_usec - first.tv_usec) / 1e6)
    }

    var deviceName: String? { link.withLock { $0.deviceName } }

    func bind(to device: String, isChosen: Bool) -> Bool {
        let isThere = link.withLock { link in
            guard link.deviceName == device else { return false }
            let name = isChosen ? device : nil
            if link.chosen.name != name { link.chosen = ChosenDevice(name) }
            return true
        }
        guard isThere else { return false }
        state.withLock { state in
            guard let handles = state.handles, let stream = link.withLock({ $0.stream }) else { return }
            pa_threaded_mainloop_lock(handles.loop)
            if isChosen {
                askForDefault(handles.context, Unmanaged.passUnretained(self).toOpaque())
            } else {
                // A move to the default has PipeWire forget a device to which somebody has moved the stream.
                let index = pa_stream_get_index(stream)
                Self.start(pa_context_move_sink_input_by_name(handles.context, index, device, nil, nil))
            }
            pa_threaded_mainloop_unlock(handles.loop)
        }
        return true
    }

    // MARK: Role

    /// Sets the role of the stream; a stream that is still being made gets it when the server has accepted it.
    func setRole(_ role: AudioRole) {
        link.withLock { $0.role = role }
        state.withLock { state in
            guard let handles = state.handles, let stream = link.withLock({ $0.stream }) else { return }
            pa_threaded_mainloop_lock(handles.loop)
            announceRole(stream)
            pa_threaded_mainloop_unlock(handles.loop)
        }
    }

    /// Tells the server the role, unless it knows it. Called with libpulse's loop locked.
    private func announceRole(_ stream: OpaquePointer) {
        guard pa_stream_get_state(stream) == PA_STREAM_READY else { return }
        let role: AudioRole? = link.withLock { link in
            defer { link.announcedRole = link.role }
            return link.role == link.announcedRole ? nil : link.role
        }
        guard let role else { return }
        let properties = pa_proplist_new()
        defer { pa_proplist_free(properties) }
        pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, role.rawValue)
        Self.start(pa_stream_proplist_update(stream, PA_UPDATE_REPLACE, properties, nil, nil))
        guard role.rawValue.isEmpty else { return }
        // PipeWire keeps a property that is removed, so it was made empty before.
        PA_PROP_MEDIA_ROLE.withCString { name in
            var names: [UnsafePointer<CChar>?] = [name, nil]
            Self.start(pa_stream_proplist_remove(stream, &names, nil, nil))
        }
    }

    // MARK: Replacing

    func rewind(to frame: Int64, graphFrame: Int64) {
        state.withLock { $0.cursor.add(changeTo: frame, graphFrame: graphFrame) }
        readiness.raise()
    }

    // MARK: Blocks, on the pipeline's streaming thread

    /// Writes the next block of the pipeline, unless it was replaced. Waits until the stream is ready, and not until the server asks:
    /// ``RenderDriver`` knows how much is queued, and each question of the server would cost a wake-up.
    func write(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return }
        defer { gst_buffer_unmap(buffer, &map) }
        var done: Int64 = 0
        while true {
            // Read before the state, so that the wait does not miss a close in between.
            let seen = readiness.raises
            if isClosed.load(ordering: .acquiring) { return }
            switch state.withLock({ write(map, from: &done, &$0) }) {
            case .done: return
            case .started: return report(.started)
            case .notReady: readiness.wait(after: seen)
            }
        }
    }

    private enum Outcome { case done, started, notReady }

    /// Writes a block in parts, since a change may begin inside it.
    ///
    /// - Parameter done: The frames of the block that are written or left out.
    private func write(_ map: GstMapInfo, from done: inout Int64, _ state: inout State) -> Outcome {
        let frames = Int64(Int(map.size) / plan.format.frameBytes)
        var outcome = Outcome.done
        while done < frames {
            if state.cursor.applyChange() { state.overwrites = true }
            let part = state.cursor.part(of: frames - done)
            if part.written > 0 {
                guard let isStarted = write(map, from: done, frames: part.written, &state) else { return .notReady }
                if isStarted { outcome = .started }
            }
            state.cursor.pass(part.length, written: part.written)
            done += part.length
        }
        return outcome
    }

    /// Writes frames of a block at the next frame.
    ///
    /// - Returns: Whether the stream has begun with them; `nil` when it is not ready.
    private func write(_ map: GstMapInfo, from first: Int64, frames: Int64, _ state: inout State) -> Bool? {
        let (stream, isReady) = link.withLock { ($0.stream, $0.isReady) }
        guard isReady, let stream, let handles = state.handles else { return nil }
        skipGap(&state)
        let frameBytes = Int64(plan.format.frameBytes)
        let offset = (state.cursor.nextFrame - state.base) * frameBytes
        pa_threaded_mainloop_lock(handles.loop)
        defer { pa_threaded_mainloop_unlock(handles.loop) }
        // Without a free callback: with one, libpulse repeats the offset for each part of a long block. A write fails only on
        // a stream that has ended, which its state callback reports.
        let data = map.data.map { $0 + Int(first * frameBytes) }
        pa_stream_write(stream, data, Int(frames * frameBytes), nil, offset, PA_SEEK_ABSOLUTE)
        if state.overwrites { silenceRest(behind: state.cursor.nextFrame - state.base + frames, of: stream, state) }
        state.writtenEnd = max(state.writtenEnd, state.cursor.nextFrame - state.base + frames)
        state.overwrites = false
        guard state.isCorked else { return false }
        Self.start(pa_stream_cork(stream, 0, nil, nil))
        state.isCorked = false
        return true
    }

    /// Overwrites what is left of a queue that is replaced: it would be heard again when the next block comes late, or never.
    private func silenceRest(behind frame: Int64, of stream: OpaquePointer, _ state: State) {
        guard frame < state.writtenEnd else { return }
        let frameBytes = plan.format.frameBytes
        let silence = [UInt8](repeating: 0, count: Int(state.writtenEnd - frame) * frameBytes)
        pa_stream_write(stream, silence, silence.count, nil, frame * Int64(frameBytes), PA_SEEK_ABSOLUTE)
    }

    /// Moves the rest of the sound behind a gap: what comes behind the frames that the server has played would be dropped.
    private func skipGap(_ state: inout State) {
        guard !state.isCorked, let position = streamPosition(state) else { return }
        let next = state.cursor.nextFrame - state.base
        let gone = link.withLock { $0.rewinds } ? position.heard + plan.format.frames(in: 0.005) : position.taken
        // A change comes late now and then; its sound keeps its place.
        guard !state.overwrites, next < gone else { return }
        state.base -= gone + plan.format.frames(in: 0.02) - next
    }

    func drain() {
        let isPlaying = state.withLock { state in
            guard !state.isCorked, let handles = state.handles, let stream = link.withLock({ $0.stream }) else {
                return false
            }
            pa_threaded_mainloop_lock(handles.loop)
            let reference = Unmanaged.passUnretained(self).toOpaque()
            Self.start(pa_stream_drain(stream, writerIsDrained, reference))
            pa_threaded_mainloop_unlock(handles.loop)
            return true
        }
        if !isPlaying { report(.drained) }
    }

    // MARK: Calls of the callbacks, on libpulse's thread

    private static func start(_ operation: OpaquePointer?) {
        if let operation { pa_operation_unref(operation) }
    }

    fileprivate func contextChanged(_ context: OpaquePointer, _ reference: UnsafeMutableRawPointer) {
        switch pa_context_get_state(context) {
        case PA_CONTEXT_READY: Self.start(pa_context_get_server_info(context, writerKnowsServer, reference))
        case PA_CONTEXT_FAILED: report(.failed(Self.text(pa_context_errno(context))))
        default: break
        }
    }

    /// Asks for the device, which decides about the queue.
    fileprivate func serverIsKnown(
        _ info: pa_server_info, _ context: OpaquePointer, _ reference: UnsafeMutableRawPointer
    ) {
        let isPipeWire = info.server_name.map { String(cString: $0).contains("PipeWire") } ?? false
        link.withLock { $0.isPipeWire = isPipeWire }
        guard !isPipeWire else { return connect(context, reference) }
        let name = device ?? info.default_sink_name.map { String(cString: $0) } ?? "@DEFAULT_SINK@"
        Self.start(pa_context_get_sink_info_by_name(context, name, writerKnowsSink, reference))
    }

    /// - Parameter info: The device; `nil` when there is none of that name.
    fileprivate func sinkIsKnown(
        _ info: pa_sink_info?, _ context: OpaquePointer, _ reference: UnsafeMutableRawPointer
    ) {
        // Devices of ALSA give back what they hold, unless they are plugins of ALSA, which belong to no card.
        let rewinds = info?.proplist.map { pa_proplist_contains($0, "alsa.card") == 1 } ?? false
        let (stream, isNew) = link.withLock { link in
            defer { link.rewinds = rewinds }
            return (link.stream, link.rewinds != rewinds)
        }
        guard let stream else { return connect(context, reference) }
        guard isNew else { return }
        var attributes = attributes()
        Self.start(pa_stream_set_buffer_attr(stream, &attributes, nil, nil))
    }

    /// Makes the stream.
    private func connect(_ context: OpaquePointer, _ reference: UnsafeMutableRawPointer) {
        var format = pa_sample_spec(
            format: PA_SAMPLE_FLOAT32LE, rate: UInt32(plan.format.sampleRate), channels: UInt8(plan.format.channels))
        var speakers = pa_channel_map()
        pa_channel_map_parse(&speakers, PulseChannels.map(channels: plan.format.channels))
        let role = link.withLock { $0.role }
        let properties = pa_proplist_new()
        // Desktops apply their policies to the role: music is muted during calls, for instance.
        if !role.rawValue.isEmpty { pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, role.rawValue) }
        defer { pa_proplist_free(properties) }
        guard let stream = pa_stream_new_with_proplist(context, plan.applicationName, &format, &speakers, properties)
        else { return report(.failed(Self.text(pa_context_errno(context)))) }
        link.withLock { link in
            link.stream = stream
            link.announcedRole = role
            link.chosen = ChosenDevice(device)
        }
        // A device may also be chosen later.
        pa_context_set_subscribe_callback(context, writerHearsOfServer, reference)
        Self.start(pa_context_subscribe(context, PA_SUBSCRIPTION_MASK_SERVER, nil, nil))
        pa_stream_set_state_callback(stream, writerStreamChanged, reference)
        pa_stream_set_moved_callback(stream, writerWasMoved, reference)
        pa_stream_set_latency_update_callback(stream, writerKnowsPosition, reference)
        var attributes = attributes()
        let flags =
            PA_STREAM_START_CORKED.rawValue | PA_STREAM_AUTO_TIMING_UPDATE.rawValue
            | PA_STREAM_INTERPOLATE_TIMING.rawValue
        guard
            pa_stream_connect_playback(
                stream, device, &attributes, pa_stream_flags_t(rawValue: flags), nil, nil) >= 0
        else { return report(.failed(Self.text(pa_context_errno(context)))) }
    }

    /// The queue. The device's own buffer gets the difference between `tlength` and twice `minreq`, where its length is not fixed: it is
    /// short where it is not taken back, and elsewhere as long as the minimum queue, for fewer wake-ups of the server.
    private func attributes() -> pa_buffer_attr {
        func bytes(_ seconds: Double) -> UInt32 {
            UInt32(plan.format.frames(in: seconds)) * UInt32(plan.format.frameBytes)
        }
        let (rewinds, isPipeWire) = link.withLock { ($0.rewinds, $0.isPipeWire) }
        let own = rewinds ? min(0.15, plan.queue * 0.3) : isPipeWire ? 0.02 : 0.01
        // A prebuffer of 0: after a gap the server's time runs on.
        return pa_buffer_attr(
            maxlength: .max, tlength: bytes(plan.queue), prebuf: 0, minreq: bytes(max(0.005, (plan.queue - own) / 2)),
            fragsize: .max)
    }

    fileprivate func streamChanged(_ stream: OpaquePointer, _ reference: UnsafeMutableRawPointer) {
        switch pa_stream_get_state(stream) {
        case PA_STREAM_READY:
            moved(stream, reference)
            announceRole(stream)
            link.withLock { $0.isReady = true }
            readiness.raise()
            report(.opened)
        case PA_STREAM_FAILED:
            report(.failed(Self.text(pa_context_errno(pa_stream_get_context(stream)))))
        case PA_STREAM_TERMINATED: report(.failed("the server has ended the stream"))
        default: break
        }
    }

    /// Asks the new device how it treats the queue, and whether the stream has come there with the default.
    fileprivate func moved(_ stream: OpaquePointer, _ reference: UnsafeMutableRawPointer) {
        guard let name = pa_stream_get_device_name(stream).map({ String(cString: $0) }) else { return }
        let isPipeWire = link.withLock { link in
            link.deviceName = name
            link.held = 0
            link.steps = PipeWireSteps(sampleRate: plan.format.sampleRate)
            return link.isPipeWire
        }
        let context = pa_stream_get_context(stream)
        if !isPipeWire { Self.start(pa_context_get_sink_info_by_name(context, name, writerKnowsSink, reference)) }
        if let context { askForDefault(context, reference) }
        report(.device(name))
    }

    /// Asks for the server's default device when a device was chosen. Called with libpulse's loop locked.
    fileprivate func askForDefault(_ context: OpaquePointer, _ reference: UnsafeMutableRawPointer) {
        guard link.withLock({ $0.chosen.name }) != nil else { return }
        Self.start(pa_context_get_server_info(context, writerKnowsDefault, reference))
    }

    /// Asks for the chosen device when the stream has left it: one that is gone has lost the stream for good.
    fileprivate func defaultIsKnown(
        _ info: pa_server_info, _ context: OpaquePointer, _ reference: UnsafeMutableRawPointer
    ) {
        guard let standard = info.default_sink_name.map({ String(cString: $0) }) else { return }
        let chosen: String? = link.withLock { link in
            guard let present = link.deviceName, link.chosen.isLeft(for: present, default: standard) else { return nil }
            return link.chosen.name
        }
        guard let chosen else { return }
        Self.start(pa_context_get_sink_info_by_name(context, chosen, writerKnowsChosenDevice, reference))
    }

    fileprivate func chosenDeviceIsThere() { report(.leftChosenDevice) }

    /// Microseconds from an answer to the next question while PipeWire's steps are learnt: libpulse asks ever more rarely by itself.
    private static let interval: pa_usec_t = 5000

    /// The most that a device is believed to hold, in seconds.
    private static let longestHold = 5.0

    fileprivate func positionIsKnown(_ stream: OpaquePointer, _ reference: UnsafeMutableRawPointer) {
        var wall = timeval()
        gettimeofday(&wall, nil)
        let now = MonotonicClock().now()
        guard let info = pa_stream_get_timing_info(stream)?.pointee else { return }
        let asks = link.withLock { link in
            link.answer = (now, wall)
            // Before the stream plays, the answer is that of a device for itself.
            guard (1..<1 << 52).contains(info.read_index) else { return false }
            // More than any device holds would have the mix rendered without end.
            let held = min(Self.longestHold, Double(info.sink_usec) / 1e6)
            // It rises and falls as the device takes its blocks, and answers are rare; a single long block is forgotten slowly.
            link.held = max(held, link.held + (held - link.held) / 64)
            guard link.isPipeWire else { return false }
            let answered = Double(now) / 1e9 - Self.seconds(from: info.timestamp, to: wall)
            link.steps.add(taken: info.read_index / Int64(plan.format.frameBytes), at: answered)
            guard !link.asks, link.steps.isLearning else { return false }
            link.asks = true
            return true
        }
        guard asks, let context = pa_stream_get_context(stream) else { return }
        pa_context_rttime_new(context, pa_rtclock_now() + Self.interval, writerAsksAgain, reference)
    }

    /// Asks for the position, unless the stream was closed.
    fileprivate func asksAgain() {
        let stream = link.withLock { link in
            link.asks = false
            return link.stream
        }
        if let stream { Self.start(pa_stream_update_timing_info(stream, nil, nil)) }
    }

    fileprivate func isDrained() { report(.drained) }
}

// Callbacks of libpulse, on its thread. Global and nonisolated: a closure written in isolated code traps when that thread
// runs it. The reference is a ``PulseWriter``, which retains itself until the thread has stopped.

private func writer(_ reference: UnsafeMutableRawPointer?) -> PulseWriter? {
    reference.map { Unmanaged<PulseWriter>.fromOpaque($0).takeUnretainedValue() }
}

private func writerContextChanged(_ context: OpaquePointer?, _ reference: UnsafeMutableRawPointer?) {
    guard let context, let reference else { return }
    writer(reference)?.contextChanged(context, reference)
}

private func writerKnowsServer(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_server_info>?, _ reference: UnsafeMutableRawPointer?
) {
    guard let context, let info, let reference else { return }
    writer(reference)?.serverIsKnown(info.pointee, context, reference)
}

private func writerHearsOfServer(
    _ context: OpaquePointer?, _ event: pa_subscription_event_type_t, _ index: UInt32,
    _ reference: UnsafeMutableRawPointer?
) {
    guard let context, let reference else { return }
    writer(reference)?.askForDefault(context, reference)
}

private func writerKnowsDefault(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_server_info>?, _ reference: UnsafeMutableRawPointer?
) {
    guard let context, let info, let reference else { return }
    writer(reference)?.defaultIsKnown(info.pointee, context, reference)
}

private func writerKnowsChosenDevice(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_sink_info>?, _ end: Int32,
    _ reference: UnsafeMutableRawPointer?
) {
    // One answer for the device, before that for the end of the list; or one for the refusal.
    if end == 0 { writer(reference)?.chosenDeviceIsThere() }
}

private func writerKnowsSink(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_sink_info>?, _ end: Int32,
    _ reference: UnsafeMutableRawPointer?
) {
    // One answer for the device, and one for the end of the list; or one for the refusal.
    guard let context, let reference, end <= 0 else { return }
    writer(reference)?.sinkIsKnown(info?.pointee, context, reference)
}

private func writerStreamChanged(_ stream: OpaquePointer?, _ reference: UnsafeMutableRawPointer?) {
    guard let stream, let reference else { return }
    writer(reference)?.streamChanged(stream, reference)
}

private func writerWasMoved(_ stream: OpaquePointer?, _ reference: UnsafeMutableRawPointer?) {
    if let stream, let reference { writer(reference)?.moved(stream, reference) }
}

private func writerKnowsPosition(_ stream: OpaquePointer?, _ reference: UnsafeMutableRawPointer?) {
    if let stream, let reference { writer(reference)?.positionIsKnown(stream, reference) }
}

private func writerAsksAgain(
    _ api: UnsafeMutablePointer<pa_mainloop_api>?, _ event: OpaquePointer?, _ time: UnsafePointer<timeval>?,
    _ reference: UnsafeMutableRawPointer?
) {
    api?.pointee.time_free(event)
    writer(reference)?.asksAgain()
}

private func writerIsDrained(_ stream: OpaquePointer?, _ success: Int32, _ reference: UnsafeMutableRawPointer?) {
    writer(reference)?.isDrained()
}
