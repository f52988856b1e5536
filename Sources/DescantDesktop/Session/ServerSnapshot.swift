internal import DescantCore

/// The sinks, streams and defaults of a sound server, and the route of one process.
struct ServerSnapshot: Sendable {
    /// The process whose streams are ``ownStreams``.
    let process: ProcessName
    private(set) var sinks: [UInt32: ServerSink] = [:]
    private(set) var streams: [UInt32: ServerStream] = [:]
    /// The name of the sink of new streams; `nil` before the server has reported it, or while it has none.
    private(set) var defaultSink: String?
    /// The name of the source of new recordings.
    private(set) var defaultSource: String?

    init(process: ProcessName) { self.process = process }

    mutating func apply(_ change: ServerChange) {
        switch change {
        case .defaults(let sink, let source):
            defaultSink = sink
            defaultSource = source
        case .sink(let sink): sinks[sink.index] = sink
        case .sinkRemoved(let index): sinks[index] = nil
        case .stream(let stream): streams[stream.index] = stream
        case .streamRemoved(let index): streams[index] = nil
        }
    }

    /// Streams of this process, paused ones included.
    var ownStreams: [ServerStream] { sorted { isOwn($0) } }

    /// The streams of other programs that are not paused.
    var foreignStreams: [ForeignStream] { sorted { !isOwn($0) && !$0.isCorked }.map(\.foreign) }

    /// Whether another program plays a stream of the role `phone`.
    var isCallRunning: Bool { foreignStreams.contains { $0.role == .phone } }

    /// The route of our streams, or of a new one; `nil` during a move, while the server names sinks that it has not reported yet or
    /// has removed.
    var route: AudioRoute? {
        guard let outputs else { return nil }
        return AudioRoute(outputs: outputs.sorted { $0.identifier < $1.identifier }, inputs: inputs)
    }

    /// The route, or that of a new stream while it is not known: a server lists our stream before it has chosen its sink.
    var probableRoute: AudioRoute { route ?? AudioRoute(outputs: defaultOutputs ?? [], inputs: inputs) }

    /// The identifiers of all devices that can play.
    var reachableDevices: Set<String> { sinks.values.reduce(into: []) { $0.formUnion($1.reachableDevices) } }

    private var outputs: [AudioDevice]? {
        let own = Set(ownStreams.map(\.sink))
        guard own.isEmpty else {
            let known = own.compactMap { sinks[$0]?.device }
            return known.count == own.count ? known : nil
        }
        return defaultOutputs
    }

    private var defaultOutputs: [AudioDevice]? {
        guard let defaultSink else { return [] }
        return sinks.values.first { $0.name == defaultSink }.map { [$0.device] }
    }

    /// The default source, unless it is a monitor, which records the output of a sink.
    private var inputs: [AudioDevice] {
        guard let defaultSource, !defaultSource.hasSuffix(".monitor"), !defaultSource.hasPrefix("@") else { return [] }
        return [AudioDevice(defaultSource)]
    }

    private func isOwn(_ stream: ServerStream) -> Bool { stream.owner?.matches(process) ?? false }

    private func sorted(_ isIncluded: (ServerStream) -> Bool) -> [ServerStream] {
        streams.values.filter(isIncluded).sorted { $0.index < $1.index }
    }
}

/// One change that a sound server reports.
enum ServerChange: Sendable {
    /// The names of the default sink and source.
    case defaults(sink: String?, source: String?)
    /// A sink is new, or has changed.
    case sink(ServerSink)
    case sinkRemoved(UInt32)
    /// A stream is new, or has changed.
    case stream(ServerStream)
    case streamRemoved(UInt32)
}

/// An output device of a sound server.
struct ServerSink: Hashable, Sendable {
    /// The server's number for the sink, never used twice by one server process.
    var index: UInt32
    /// The name for programs, such as `alsa_output.pci-0000_00_1f.3.analog-stereo`.
    var name: String
    /// The name for people.
    var label: String
    /// The sockets and loudspeakers; empty for devices without a choice.
    var ports: [ServerPort] = []
    /// The name of the port in use.
    var activePort: String?

    /// The sink as a device of the route, with the port where there are several.
    var device: AudioDevice {
        guard ports.count > 1, let port = ports.first(where: { $0.name == activePort }) else {
            return AudioDevice(name, name: label)
        }
        return AudioDevice("\(name)#\(port.name)", name: "\(label), \(port.label)")
    }

    /// The identifiers of the sink, and of each of its available ports where there are several.
    var reachableDevices: Set<String> {
        guard ports.count > 1 else { return [name] }
        // A server may report no active port for a moment.
        return Set([name] + ports.filter(\.isAvailable).map { "\(name)#\($0.name)" })
    }
}

/// A socket or loudspeaker of a sink, of which one is in use at a time.
struct ServerPort: Hashable, Sendable {
    /// The name for programs, such as `analog-output-headphones`.
    var name: String
    /// The name for people.
    var label: String
    /// Whether something is plugged in; also `true` when that is unknown.
    var isAvailable: Bool
}

/// One stream that a program plays to a sound server.
struct ServerStream: Hashable, Sendable {
    /// The server's number for the stream.
    var index: UInt32
    /// The number of the sink that it plays to.
    var sink: UInt32
    /// The process that plays it; `nil` when the stream does not name it.
    var owner: ProcessName?
    /// The program's name for people.
    var application: String
    /// The media role, such as `music` or `phone`; empty when the stream has none.
    var role: String
    /// Whether its program has paused it.
    var isCorked: Bool
    /// Whether it is muted, by a person or by the server.
    var isMuted: Bool

    /// The stream as an event shows it.
    var foreign: ForeignStream {
        ForeignStream(identifier: index, application: application, role: AudioRole(rawValue: role))
    }
}

/// The process of a client of a sound server. Clients may come from several machines, so two processes may have the same number.
struct ProcessName: Hashable, Sendable {
    /// The process number.
    var identifier: Int32
    /// The name of the machine; `nil` when the client does not name it.
    var host: String?

    /// Whether both may mean one process.
    func matches(_ other: ProcessName) -> Bool {
        identifier == other.identifier && (host == nil || other.host == nil || host == other.host)
    }
}
