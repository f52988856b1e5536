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
    struct Handles: @unchecked Sendable {
        let loop: OpaquePointer
        let context: OpaquePointer
    }

    /// What the callbacks have learnt. They run with libpulse's loop locked, so this lock is never held while the loop is
    /// being locked.
    struct Link: @unchecked Sendable {
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

    struct State {
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

    let plan: SessionPlan
    let report: @Sendable (QueueEvent) -> Void
    let state: Mutex<State>
    let link: Mutex<Link>
    /// Raised when the stream is ready, when frames are replaced, and at the end.
    let readiness = EventCount()
    let isClosed = Atomic(false)

    /// - Parameters:
    ///   - plan: Its format is that of the blocks.
    ///   - report: Receives events, on any thread; must not wait.
    init(plan: SessionPlan, report: @escaping @Sendable (QueueEvent) -> Void) {
        self.plan = plan
        self.report = report
        state = Mutex(State(base: plan.epochFrame, cursor: BlockCursor(nextFrame: plan.epochFrame)))
        link = Mutex(Link(steps: PipeWireSteps(sampleRate: plan.format.sampleRate), role: plan.role))
    }

    var device: String? {
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

    static func text(_ code: Int32) -> String {
        pa_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }

    /// Lets go of an operation, which continues on its own.
    static func start(_ operation: OpaquePointer?) {
        if let operation { pa_operation_unref(operation) }
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

    // MARK: Device

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
    func announceRole(_ stream: OpaquePointer) {
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
}
