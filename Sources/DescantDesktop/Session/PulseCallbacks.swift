internal import CPulse

// What libpulse's thread calls. Global and nonisolated: a closure written in isolated code traps when that thread runs it.
// They post values and ask further questions; no one waits here. The reference is a ``PulseConnection``, which holds
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
    let isRemoval =
        event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue == PA_SUBSCRIPTION_EVENT_REMOVE.rawValue
    switch (facility, isRemoval) {
    case (PA_SUBSCRIPTION_EVENT_SINK.rawValue, true): connection.watch.note(.sinkRemoved(index))
    case (PA_SUBSCRIPTION_EVENT_SINK.rawValue, false):
        PulseQuery.ask(pa_context_get_sink_info_by_index(context, index, receiveChangedSink, reference))
    case (PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue, true): connection.watch.note(.streamRemoved(index))
    case (PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue, false):
        // The default first: when it took our stream with it, that is the reason of the move.
        PulseQuery.ask(pa_context_get_server_info(context, receiveChangedServer, reference))
        PulseQuery.ask(pa_context_get_sink_input_info(context, index, receiveChangedStream, reference))
    case (PA_SUBSCRIPTION_EVENT_SERVER.rawValue, _):
        PulseQuery.ask(pa_context_get_server_info(context, receiveChangedServer, reference))
    default: break
    }
}

// MARK: Answers to the first reading

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

// MARK: Answers about one thing; it may be gone by now, and then nothing is said

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
