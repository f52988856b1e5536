internal import DescantCore

/// What a sound server has told of itself, and what that means for one process.
struct ServerSnapshot: Sendable {
    /// The process that calls itself "we".
    let process: ProcessName
    private(set) var sinks: [UInt32: ServerSink] = [:]
    private(set) var streams: [UInt32: ServerStream] = [:]
    /// The name of the sink that new streams go to; `nil` before the server has told, or while it has none.
    private(set) var defaultSink: String?
    /// The name of the source that is recorded from without another wish.
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

    /// What other programs play at this moment.
    var foreignStreams: [ForeignStream] { sorted { !isOwn($0) && !$0.isCorked }.map(\.foreign) }

    /// Whether another program carries on a conversation.
    var isCallRunning: Bool { foreignStreams.contains { $0.role == .phone } }

    /// Where our sound goes, or would go; `nil` in the middle of a move, when the server names sinks that it has not told of
    /// or has taken back.
    var route: AudioRoute? {
        guard let outputs else { return nil }
        return AudioRoute(outputs: outputs.sorted { $0.identifier < $1.identifier }, inputs: inputs)
    }

    /// Every device that sound could go to.
    var reachableDevices: Set<String> { sinks.values.reduce(into: []) { $0.formUnion($1.reachableDevices) } }

    private var outputs: [AudioDevice]? {
        let own = Set(ownStreams.map(\.sink))
        guard own.isEmpty else {
            let known = own.compactMap { sinks[$0]?.device }
            return known.count == own.count ? known : nil
        }
        guard let defaultSink else { return [] }
        return sinks.values.first { $0.name == defaultSink }.map { [$0.device] }
    }

    /// A monitor gives back what a sink plays; nothing comes in there.
    private var inputs: [AudioDevice] {
        guard let defaultSource, !defaultSource.hasSuffix(".monitor"), !defaultSource.hasPrefix("@") else { return [] }
        return [AudioDevice(defaultSource)]
    }

    private func isOwn(_ stream: ServerStream) -> Bool { stream.owner?.matches(process) ?? false }

    private func sorted(_ isIncluded: (ServerStream) -> Bool) -> [ServerStream] {
        streams.values.filter(isIncluded).sorted { $0.index < $1.index }
    }
}
