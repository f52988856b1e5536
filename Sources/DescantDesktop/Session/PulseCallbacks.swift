internal import CPulse
internal import DescantCore

// Callbacks of libpulse, on its thread. Global and nonisolated: a closure written in isolated code traps when that thread runs it.
// They post values and start further queries, and never wait. The reference is a ``PulseConnection``, which retains
// itself until the thread has stopped.

private func connection(_ reference: UnsafeMutableRawPointer?) -> PulseConnection? {
    reference.map { Unmanaged<PulseConnection>.fromOpaque($0).takeUnretainedValue() }
}

func contextStateChanged(_ context: OpaquePointer?, _ reference: UnsafeMutableRawPointer?) {
    guard let context, let reference, let connection = connection(reference) else { return }
    switch pa_context_get_state(context) {
    case PA_CONTEXT_READY: connection.contextIsReady(context, reference: reference)
    case PA_CONTEXT_FAILED: connection.contextFailed(code: pa_context_errno(context))
    default: break
    }
}

func serverChanged(
    _ context: OpaquePointer?, _ event: pa_subscription_event_type_t, _ index: UInt32,
    _ reference: UnsafeMutableRawPointer?
) {
    guard let context, let connection = connection(reference) else { return }
    let facility = event.rawValue & PA_SUBSCRIPTION_EVENT_FACILITY_MASK.rawValue
    let kind = event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
    let isRemoval = kind == PA_SUBSCRIPTION_EVENT_REMOVE.rawValue
    switch (facility, isRemoval) {
    case (PA_SUBSCRIPTION_EVENT_SINK.rawValue, _):
        if isRemoval {
            connection.watch.note(.sinkRemoved(index))
        } else {
            PulseQuery.start(pa_context_get_sink_info_by_index(context, index, receiveChangedSink, reference))
        }
        // The route then does not depend on the order in which a server reports a device and its new default.
        if kind != PA_SUBSCRIPTION_EVENT_CHANGE.rawValue {
            PulseQuery.start(pa_context_get_server_info(context, receiveChangedServer, reference))
        }
    case (PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue, true): connection.watch.note(.streamRemoved(index))
    case (PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue, false):
        // The default first: its change may be the reason for the move of our stream.
        PulseQuery.start(pa_context_get_server_info(context, receiveChangedServer, reference))
        PulseQuery.start(pa_context_get_sink_input_info(context, index, receiveChangedStream, reference))
    case (PA_SUBSCRIPTION_EVENT_SERVER.rawValue, _):
        PulseQuery.start(pa_context_get_server_info(context, receiveChangedServer, reference))
    default: break
    }
}

// MARK: Answers to the first queries

func receiveServer(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_server_info>?, _ reference: UnsafeMutableRawPointer?
) {
    receiveChangedServer(context, info, reference)
    connection(reference)?.listIsComplete()
}

func receiveSink(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_sink_info>?, _ end: Int32,
    _ reference: UnsafeMutableRawPointer?
) {
    receiveChangedSink(context, info, end, reference)
    if end != 0 { connection(reference)?.listIsComplete() }
}

func receiveStream(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_sink_input_info>?, _ end: Int32,
    _ reference: UnsafeMutableRawPointer?
) {
    receiveChangedStream(context, info, end, reference)
    if end != 0 { connection(reference)?.listIsComplete() }
}

// MARK: Answers about one object; there is none when it is gone by now

func receiveChangedServer(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_server_info>?, _ reference: UnsafeMutableRawPointer?
) {
    guard let info else { return }
    connection(reference)?.watch.note(
        .defaults(
            sink: PulseQuery.text(info.pointee.default_sink_name),
            source: PulseQuery.text(info.pointee.default_source_name)))
}

func receiveChangedSink(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_sink_info>?, _ end: Int32,
    _ reference: UnsafeMutableRawPointer?
) {
    guard end == 0, let info else { return }
    connection(reference)?.watch.note(.sink(PulseQuery.sink(info.pointee)))
}

func receiveChangedStream(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_sink_input_info>?, _ end: Int32,
    _ reference: UnsafeMutableRawPointer?
) {
    guard end == 0, let info else { return }
    connection(reference)?.watch.note(.stream(PulseQuery.stream(info.pointee)))
}

/// Queries to the server, and the values of its answers.
enum PulseQuery {
    /// Starts a query; a callback receives the answer.
    static func start(_ operation: OpaquePointer?) {
        if let operation { pa_operation_unref(operation) }
    }

    static func sink(_ info: pa_sink_info) -> ServerSink {
        let ports = UnsafeBufferPointer(start: info.ports, count: info.ports == nil ? 0 : Int(info.n_ports))
        return ServerSink(
            index: info.index, name: text(info.name) ?? "", label: text(info.description) ?? text(info.name) ?? "",
            ports: ports.compactMap { $0.map { port($0.pointee) } },
            activePort: info.active_port.flatMap { text($0.pointee.name) })
    }

    static func stream(_ info: pa_sink_input_info) -> ServerStream {
        let identifier = property(PA_PROP_APPLICATION_PROCESS_ID, of: info.proplist).flatMap { Int32($0) }
        let host = property(PA_PROP_APPLICATION_PROCESS_HOST, of: info.proplist)
        let application = property(PA_PROP_APPLICATION_NAME, of: info.proplist)
        return ServerStream(
            index: info.index, sink: info.sink, owner: identifier.map { ProcessName(identifier: $0, host: host) },
            application: application ?? text(info.name) ?? "",
            role: property(PA_PROP_MEDIA_ROLE, of: info.proplist)?.lowercased() ?? "", isCorked: info.corked != 0,
            isMuted: info.mute != 0)
    }

    static func text(_ characters: UnsafePointer<CChar>?) -> String? { characters.map { String(cString: $0) } }

    private static func port(_ info: pa_sink_port_info) -> ServerPort {
        let name = text(info.name) ?? ""
        return ServerPort(
            name: name, label: text(info.description) ?? name,
            isAvailable: info.available != Int32(PA_PORT_AVAILABLE_NO.rawValue))
    }

    private static func property(_ name: String, of list: OpaquePointer?) -> String? {
        guard let list, let value = text(pa_proplist_gets(list, name)), !value.isEmpty else { return nil }
        return value
    }
}
