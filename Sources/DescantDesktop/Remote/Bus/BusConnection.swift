internal import CGio
internal import DescantCore

/// One connection to a bus.
///
/// The pointer never changes and GLib's connections may be used from any thread; hence the unchecked conformance.
final class BusConnection: @unchecked Sendable {
    let pointer: OpaquePointer

    /// - Parameter pointer: A connection that this object releases.
    private init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        // By default GLib ends the process when the bus ends.
        g_dbus_connection_set_exit_on_close(pointer, 0)
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }

    // MARK: Opening and closing

    /// Connects; the closure runs on the calling thread, which must have a main context.
    static func open(
        _ address: String, cancellable: BusCancellable,
        then: @escaping @Sendable (Result<BusConnection, CoreError>) -> Void
    ) {
        let flags = GDBusConnectionFlags(
            G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
        g_dbus_connection_new_for_address(
            address, flags, nil, cancellable.pointer, connectionOpened, BusCallback.retained(then))
    }

    /// Reads the result of ``open(_:cancellable:then:)``.
    fileprivate static func finish(_ result: OpaquePointer?) -> Result<BusConnection, CoreError> {
        var error: UnsafeMutablePointer<GError>?
        guard let pointer = g_dbus_connection_new_for_address_finish(result, &error) else {
            return .failure(.ioError(takeMessage(error)))
        }
        return .success(BusConnection(pointer))
    }

    /// Runs an action once when the connection has ended.
    func onClosed(_ action: @escaping @Sendable () -> Void) {
        _ = descant_on_closed(pointer, connectionClosed, BusCallback.retained(action)) { data, _ in
            releaseBusCallback(data)
        }
    }

    /// Sends all queued messages and disconnects.
    ///
    /// - Parameters:
    ///   - thread: The thread that opened the connection, for what GLib has to do at its end.
    ///   - then: Runs on the thread when the connection has ended, after 1 s at most.
    func close(on thread: BusThread, then: @escaping @Sendable () -> Void = {}) {
        let ended = Promise<Void> { then() }
        thread.post { [self] in
            onClosed { ended.resolve(()) }
            g_dbus_connection_flush(pointer, nil, connectionFlushed, BusCallback.retained(self))
            // A frozen bus does not answer.
            thread.post(after: 1) { ended.resolve(()) }
        }
    }

    fileprivate func hangUp() { g_dbus_connection_close(pointer, nil, nil, nil) }

    // MARK: Messages

    /// The unique name of this connection; empty without a bus.
    var uniqueName: String { g_dbus_connection_get_unique_name(pointer).map { String(cString: $0) } ?? "" }

    func emit(_ signal: BusSignal, from path: String) {
        let arguments = BusValue.tuple(signal.arguments).makeVariant()
        // Fails only when the connection has ended, which `onClosed` reports.
        g_dbus_connection_emit_signal(pointer, nil, path, signal.interface, signal.name, arguments, nil)
    }

    /// Calls a method; the closure runs on the calling thread, which must have a main context.
    func call(
        _ destination: String, _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue],
        limit: Double = 20, then: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
    ) {
        g_dbus_connection_call(
            pointer, destination, path, interface, method, BusValue.tuple(arguments).makeVariant(), nil,
            G_DBUS_CALL_FLAGS_NO_AUTO_START, gint(limit * 1000), nil, callAnswered, BusCallback.retained((self, then)))
    }

    fileprivate func finishCall(_ result: OpaquePointer?) -> Result<[BusValue], BusError> {
        var error: UnsafeMutablePointer<GError>?
        guard let answer = g_dbus_connection_call_finish(pointer, result, &error) else {
            let name = g_dbus_error_get_remote_error(error).map { name in
                defer { g_free(name) }
                return String(cString: name)
            }
            if name != nil { g_dbus_error_strip_remote_error(error) }
            return .failure(
                BusError(name: name ?? "org.freedesktop.DBus.Error.Failed", message: takeMessage(error)))
        }
        defer { g_variant_unref(answer) }
        return .success(BusValue(answer).parts ?? [])
    }

    /// Shows an object on the bus, with all its interfaces.
    func export(_ object: any BusObject, at path: String) throws {
        var error: UnsafeMutablePointer<GError>?
        guard let node = g_dbus_node_info_new_for_xml(object.introspection, &error) else {
            throw CoreError.invalidArgument(takeMessage(error))
        }
        defer { g_dbus_node_info_unref(node) }
        // Without a function for properties, GLib passes their requests to the one for methods.
        var table = GDBusInterfaceVTable()
        table.method_call = methodCalled
        var interface = node.pointee.interfaces
        while let info = interface?.pointee {
            let data = BusCallback.retained(object)
            guard g_dbus_connection_register_object(pointer, path, info, &table, data, releaseBusCallback, &error) > 0
            else { throw CoreError.ioError(takeMessage(error)) }
            interface = interface?.advanced(by: 1)
        }
    }
}

// MARK: - Callbacks of GLib, on the bus's thread

private func connectionOpened(_ source: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ data: gpointer?) {
    BusCallback<@Sendable (Result<BusConnection, CoreError>) -> Void>.take(data)(BusConnection.finish(result))
}

private func connectionClosed(
    _ connection: OpaquePointer?, _ vanished: gboolean, _ error: UnsafeMutablePointer<GError>?, _ data: gpointer?
) {
    BusCallback<@Sendable () -> Void>.value(data)()
}

private func connectionFlushed(_ source: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ data: gpointer?) {
    BusCallback<BusConnection>.take(data).hangUp()
}

private func callAnswered(_ source: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ data: gpointer?) {
    let (connection, then) = BusCallback<(BusConnection, @Sendable (Result<[BusValue], BusError>) -> Void)>.take(data)
    then(connection.finishCall(result))
}

private func methodCalled(
    _ connection: OpaquePointer?, _ sender: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?,
    _ interface: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?, _ parameters: OpaquePointer?,
    _ invocation: OpaquePointer?, _ data: gpointer?
) {
    guard let invocation, let interface, let method, let parameters else { return }
    let object = BusCallback<any BusObject>.value(data)
    let reply = BusReply(invocation)
    let arguments = BusValue(parameters).parts ?? []
    guard let kind = BusRequest.Kind(String(cString: interface), String(cString: method), arguments) else {
        return reply.give(.failure(.invalid("wrong arguments")))
    }
    object.handle(BusRequest(kind: kind) { reply.give($0) })
}

extension BusRequest.Kind {
    /// Recognises requests for properties; `nil` for wrong arguments.
    init?(_ interface: String, _ method: String, _ arguments: [BusValue]) {
        guard interface == "org.freedesktop.DBus.Properties" else {
            self = .call(interface: interface, method: method, arguments)
            return
        }
        guard let owner = arguments.first?.string else { return nil }
        switch method {
        case "GetAll": self = .getAll(interface: owner)
        case "Get":
            guard arguments.count == 2, let name = arguments[1].string else { return nil }
            self = .get(interface: owner, property: name)
        case "Set":
            guard arguments.count == 3, let name = arguments[1].string, let value = arguments[2].content else {
                return nil
            }
            self = .set(interface: owner, property: name, value)
        default: return nil
        }
    }
}

/// The text of an error, which is released.
func takeMessage(_ error: UnsafeMutablePointer<GError>?) -> String {
    guard let error else { return "unknown" }
    defer { g_error_free(error) }
    return String(cString: error.pointee.message)
}

/// Cancels an operation.
///
/// The pointer never changes and GLib allows it to be used from any thread; hence the unchecked conformance.
final class BusCancellable: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GCancellable>? = g_cancellable_new()

    deinit { g_object_unref(pointer) }

    var isCancelled: Bool { g_cancellable_is_cancelled(pointer) != 0 }

    func cancel() { g_cancellable_cancel(pointer) }
}

/// An error as the bus names it.
struct BusError: Error, Sendable, Hashable {
    /// The error's name, such as `org.freedesktop.DBus.Error.Failed`.
    var name: String
    /// The text for people.
    var message: String

    private static func standard(_ name: String, _ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.\(name)", message: message)
    }

    static func failed(_ message: String) -> BusError { standard("Failed", message) }
    static func invalid(_ message: String) -> BusError { standard("InvalidArgs", message) }
    static func unsupported(_ message: String) -> BusError { standard("NotSupported", message) }
    static func unknownMethod(_ message: String) -> BusError { standard("UnknownMethod", message) }
    static func unknownProperty(_ message: String) -> BusError { standard("UnknownProperty", message) }
    static func timeout(_ message: String) -> BusError { standard("Timeout", message) }

    /// The error of the bus that is nearest to an error of the library.
    init(_ error: any Error) {
        switch error {
        case let error as BusError: self = error
        case let error as CoreError:
            switch error {
            case .unsupported: self = .unsupported(error.description)
            case .invalidArgument: self = .invalid(error.description)
            default: self = .failed(error.description)
            }
        case is CancellationError: self = .failed("another command came first")
        default: self = .failed("\(error)")
        }
    }

    init(name: String, message: String) {
        self.name = name
        self.message = message
    }
}

/// Carries a Swift value through C.
final class BusCallback<Value> {
    private let value: Value

    private init(_ value: Value) { self.value = value }

    /// A pointer that ``releaseBusCallback(_:)`` releases, or ``take(_:)``.
    static func retained(_ value: Value) -> gpointer {
        Unmanaged<AnyObject>.passRetained(BusCallback(value)).toOpaque()
    }

    /// The value behind a pointer, which stays valid.
    static func value(_ pointer: gpointer?) -> Value {
        // Every pointer comes from `retained` of the same type: the callers are the callbacks that were registered with it.
        Unmanaged<BusCallback<Value>>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue().value
    }

    /// The value behind a pointer, which is released.
    static func take(_ pointer: gpointer?) -> Value {
        defer { releaseBusCallback(pointer) }
        return value(pointer)
    }
}

/// Releases a pointer of ``BusCallback/retained(_:)``.
func releaseBusCallback(_ pointer: gpointer?) {
    if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
}
