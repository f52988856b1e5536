internal import CPulse
internal import DescantCore

/// Questions to the server, and what its answers say.
enum PulseQuery {
    /// Lets an operation run by itself; its answer comes by a callback.
    static func ask(_ operation: OpaquePointer?) {
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
