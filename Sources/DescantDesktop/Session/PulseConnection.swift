internal import CPulse
internal import DescantCore
internal import Dispatch
internal import Foundation
internal import Synchronization

/// One connection to a sound server, from the attempt to its end. Every attempt has a connection of its own.
///
/// libpulse runs it on its own thread. Connecting and disconnecting happen on a queue, so that no caller waits for a name
/// server, a file system or a lock.
final class PulseConnection: Sendable {
    // @unchecked: the objects belong to libpulse, which locks the loop itself; only this queue creates, locks and frees them.
    private struct Handles: @unchecked Sendable {
        let loop: OpaquePointer
        let context: OpaquePointer
    }

    /// Receives the changes that the server reports.
    let watch: ServerWatch

    private let server: String?
    private let queue = DispatchQueue(label: "descant.session.pulse")
    private let handles = Mutex<Handles?>(nil)
    /// `nil` once the server has answered the first queries, an error when the attempt fails.
    private let opened = Promise<CoreError?>()
    private let released = Promise<Void>()
    private let isClosed = Atomic(false)
    private let ending = Promise<CoreError>()
    /// The number of first queries without an answer.
    private let awaitedAnswers = Atomic(3)
    private let lost: @Sendable (PulseConnection, CoreError) -> Void

    /// Creates a connection without connecting; see ``open(limit:)``.
    ///
    /// - Parameters:
    ///   - server: The address as in `PULSE_SERVER`; `nil` for the user's default.
    ///   - watch: Receives the changes that the server reports.
    ///   - lost: Called on libpulse's thread when the connection ends after it was opened.
    init(
        server: String?, watch: ServerWatch, lost: @escaping @Sendable (PulseConnection, CoreError) -> Void
    ) {
        self.server = server
        self.watch = watch
        self.lost = lost
    }

    /// The error that ended the connection; `nil` when it is open or was closed.
    var failure: CoreError? { ending.present }

    // MARK: Opening

    /// Connects and reads the state of the server.
    ///
    /// - Parameter seconds: The maximum wait.
    /// - Returns: An error when the server is not there, refuses, or does not answer in time; close the connection then.
    func open(limit seconds: Double) async -> CoreError? {
        queue.async { [self] in
            if !isClosed.load(ordering: .acquiring) { connect() }
        }
        return await outcome(within: seconds)
    }

    /// Waits for the end of an attempt that is in progress.
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
        // Released when the loop has stopped and no callback can run.
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
    /// - Parameter seconds: The maximum wait.
    func close(limit seconds: Double) async {
        beginClose()
        _ = await released.value(within: seconds)
    }

    /// Closes the connection without waiting.
    func beginClose() {
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

    // MARK: Calls of the callbacks, on libpulse's thread

    /// The server accepts commands.
    func contextIsReady(_ context: OpaquePointer, reference: UnsafeMutableRawPointer) {
        pa_context_set_subscribe_callback(context, serverChanged, reference)
        let interests = [
            PA_SUBSCRIPTION_MASK_SINK, PA_SUBSCRIPTION_MASK_SINK_INPUT, PA_SUBSCRIPTION_MASK_SERVER,
        ].reduce(0) { $0 | $1.rawValue }
        PulseQuery.start(pa_context_subscribe(context, pa_subscription_mask_t(rawValue: interests), nil, nil))
        PulseQuery.start(pa_context_get_server_info(context, receiveServer, reference))
        PulseQuery.start(pa_context_get_sink_info_list(context, receiveSink, reference))
        PulseQuery.start(pa_context_get_sink_input_info_list(context, receiveStream, reference))
    }

    /// The connection has ended, or was not possible.
    func contextFailed(code: Int32) {
        let error = ServerFailure.error(code, server: server)
        let wasOpen = opened.present != nil
        ending.resolve(error)
        opened.resolve(error)
        if wasOpen, !isClosed.load(ordering: .acquiring) { lost(self, error) }
    }

    /// One of the three first queries has its answer.
    func listIsComplete() {
        if awaitedAnswers.subtract(1, ordering: .relaxed).newValue == 0 { opened.resolve(nil) }
    }
}

/// Errors for a sound server that cannot be reached: its name, the reason and the remedy.
enum ServerFailure {
    /// An error of a connection.
    ///
    /// - Parameters:
    ///   - code: The error number of libpulse.
    ///   - server: The address of the server; `nil` for the user's default.
    static func error(_ code: Int32, server: String?) -> CoreError {
        let reason = pa_strerror(code).map { String(cString: $0) } ?? "error \(code)"
        let isRefusal = code == Int32(PA_ERR_ACCESS.rawValue) || code == Int32(PA_ERR_AUTHKEY.rawValue)
        return .ioError("\(name(server)): \(reason); \(isRefusal ? admission : start)")
    }

    /// The error for a server that does not answer in time.
    static func timeout(seconds: Double, server: String?) -> CoreError {
        .ioError(
            "\(name(server)): no answer within \(seconds) s; restart it with `pulseaudio --kill` or "
                + "`systemctl --user restart pipewire-pulse`, or name another one in PULSE_SERVER")
    }

    private static let start =
        "start a server with `pulseaudio --start` or `systemctl --user start pipewire-pulse`, or name one in PULSE_SERVER"
    private static let admission =
        "copy the cookie of the server's user to ~/.config/pulse/cookie, or name another server in PULSE_SERVER"

    private static func name(_ server: String?) -> String {
        "sound server \(server ?? ProcessInfo.processInfo.environment["PULSE_SERVER"] ?? "of this user")"
    }
}
