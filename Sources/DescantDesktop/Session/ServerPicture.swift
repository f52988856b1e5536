/// What a sound server has told of itself, and what that means for one process.
struct ServerPicture: Hashable, Sendable {
    /// The process that calls itself "we".
    let process: Int32
    var sinks: [UInt32: ServerSink] = [:]
    var streams: [UInt32: ServerStream] = [:]
    /// The name of the sink that new streams go to; `nil` before the server has told, or while it has none.
    var defaultSink: String?
    /// The name of the source that is recorded from by default.
    var defaultSource: String?

    init(process: Int32) { self.process = process }

    /// Streams of this process.
    var ownStreams: [ServerStream] { sorted { $0.process == process } }

    /// Streams of other programs that sound at this moment.
    var otherStreams: [ServerStream] { sorted { $0.process != process && !$0.isCorked } }

    /// Whether another program plays what a person listens to, so that sound of lesser weight had better be silent.
    var isOtherAudioForegrounded: Bool {
        let roles: Set<String> = ["phone", "music", "video"]
        return otherStreams.contains { roles.contains($0.role) }
    }

    /// A call that another program carries on.
    var call: ServerStream? { otherStreams.first { $0.role == "phone" && !$0.isMuted } }

    /// The names of the sinks that our sound goes to, or would go to; `nil` in the middle of a move, when the server names
    /// sinks that it has not told of or has taken back.
    var route: [String]? {
        let own = Set(ownStreams.map(\.sink))
        guard own.isEmpty else {
            let known = own.compactMap { sinks[$0]?.name }
            return known.count == own.count ? known.sorted() : nil
        }
        guard let defaultSink else { return [] }
        return sinks.values.contains { $0.name == defaultSink } ? [defaultSink] : nil
    }

    private func sorted(_ isIncluded: (ServerStream) -> Bool) -> [ServerStream] {
        streams.values.filter(isIncluded).sorted { $0.index < $1.index }
    }
}
