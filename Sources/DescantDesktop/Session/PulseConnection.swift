internal import CPulse
internal import DescantCore
internal import Dispatch
internal import Foundation
internal import Synchronization

/// One connection to a sound server, from the attempt to its end. A new attempt is a new connection.
///
/// libpulse runs it on a thread of its own. Building up and tearing down happen on a queue, so that no caller ever waits for
/// a name server, a file system or a lock.
final class PulseConnection: Sendable {
    // @unchecked: the objects are libpulse's, which locks the loop itself; this queue alone makes, locks and frees them.
    private struct Handles: @unchecked Sendable {
        let loop: OpaquePointer
        let context: OpaquePointer
    }

    /// What the callbacks tell of.
    let watch: ServerWatch

    private let server: String?
    private let queue = DispatchQueue(label: "descant.session.pulse")
    private let handles = Mutex<Handles?>(nil)
    /// `nil` once the server has told everything, an error when it will not.
    private let opened = Promise<CoreError?>()
    private let released = Promise<Void>()
    private let isClosed = Atomic(false)
    private let ending = Promise<CoreError>()
    /// The answers of the first reading that are still to come.
    private let awaitedAnswers = Atomic(3)
    private let lost: @Sendable (PulseConnection, CoreError) -> Void

    /// Prepares a connection; nothing happens before ``open(limit:)``.
    ///
    /// - Parameters:
    ///   - server: Its address as `PULSE_SERVER` has it; `nil` for the user's default.
    ///   - watch: Follows what the server tells.
    ///   - lost: Called on libpulse's thread when the connection ends after it was opened.
    init(
        server: String?, watch: ServerWatch, lost: @escaping @Sendable (PulseConnection, CoreError) -> Void
    ) {
        self.server = server
        self.watch = watch
        self.lost = lost
    }

    /// Why the connection ended, if it did not end by being closed.
    var failure: CoreError? { ending.present }

    // MARK: Opening

    /// Connects and reads what there is.
    ///
    /// - Parameter seconds: The longest wait.
    /// - Returns: An error when the server is not there, refuses, or does not answer in time; close the connection then.
    func open(limit seconds: Double) async -> CoreError? {
        queue.async { [self] in
            if !isClosed.load(ordering: .acquiring) { connect() }
        }
        return await outcome(within: seconds)
    }

    /// Waits for the end of an attempt that somebody else began.
    func outcome(within seconds: Double) async -> CoreError? {
        await opened.value(within: seconds) ?? ServerFailure.timeout(seconds: seconds, server: server)
    }

    /// Gives up an attempt that is in progress.
    func abandon(_ error: CoreError) { opened.resolve(error) }

    private func connect() {
        guard let loop = pa_threaded_mainloop_new() else { return fail(code: Int32(PA_ERR_INTERNAL.rawValue)) }
        pa_threaded_mainloop_set_name(loop, "descant-session")
        guard let context = pa_context_new(pa_threaded_mainloop_get_api(loop), ProcessInfo.processInfo.processName)
        else {
            pa_threaded_mainloop_free(loop)
            return fail(code: Int32(PA_ERR_INTERNAL.rawValue))
        }
        handles.withLock { $0 = Handles(loop: loop, context: context) }
        // Given back when the loop has stopped and nobody calls any more.
        let reference = Unmanaged.passRetained(self).toOpaque()
        pa_context_set_state_callback(context, contextStateChanged, reference)
        guard pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else {
            return fail(code: pa_context_errno(context))
        }
        if pa_threaded_mainloop_start(loop) < 0 { fail(code: Int32(PA_ERR_INTERNAL.rawValue)) }
    }

    private func fail(code: Int32) { opened.resolve(ServerFailure.error(code, server: server)) }

    // MARK: Closing

    /// Closes the connection; harmless when closed.
    ///
    /// - Parameter seconds: The longest wait.
    func close(limit seconds: Double) async {
        closeBehind()
        _ = await released.value(within: seconds)
    }

    /// Like ``close(limit:)``, but waits for nothing.
    func closeBehind() {
        watch.end()
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.async { [self] in
            release()
            released.resolve(())
        }
    }

    private func release() {
        let present = handles.withLock { handles in
            defer { handles = nil }
            return handles
        }
        guard let present else { return }
        pa_threaded_mainloop_lock(present.loop)
        pa_context_set_state_callback(present.context, nil, nil)
        pa_context_set_subscribe_callback(present.context, nil, nil)
        pa_context_disconnect(present.context)
        pa_context_unref(present.context)
        pa_threaded_mainloop_unlock(present.loop)
        pa_threaded_mainloop_stop(present.loop)
        pa_threaded_mainloop_free(present.loop)
        Unmanaged.passUnretained(self).release()
    }

    // MARK: What callbacks report, on libpulse's thread

    /// The server accepts commands.
    func contextIsReady(_ context: OpaquePointer, reference: UnsafeMutableRawPointer) {
        pa_context_set_subscribe_callback(context, serverChanged, reference)
        let interests = [
            PA_SUBSCRIPTION_MASK_SINK, PA_SUBSCRIPTION_MASK_SINK_INPUT, PA_SUBSCRIPTION_MASK_SERVER,
        ].reduce(0) { $0 | $1.rawValue }
        PulseQuery.ask(pa_context_subscribe(context, pa_subscription_mask_t(rawValue: interests), nil, nil))
        PulseQuery.ask(pa_context_get_server_info(context, receiveServer, reference))
        PulseQuery.ask(pa_context_get_sink_info_list(context, receiveSink, reference))
        PulseQuery.ask(pa_context_get_sink_input_info_list(context, receiveStream, reference))
    }

    /// The server has gone, or was never there.
    func contextFailed(code: Int32) {
        let error = ServerFailure.error(code, server: server)
        let wasOpen = opened.present != nil
        ending.resolve(error)
        opened.resolve(error)
        if wasOpen, !isClosed.load(ordering: .acquiring) { lost(self, error) }
    }

    /// A list is complete; with the first three everything is known.
    func listIsComplete() {
        if awaitedAnswers.subtract(1, ordering: .relaxed).newValue == 0 { opened.resolve(nil) }
    }
}
