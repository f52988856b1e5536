internal import DescantCore

/// A sound that has precedence, and the clients that were paused or made quieter for it.
struct SessionInterruption {
    /// A client that was playing when it was paused.
    struct PausedClient {
        let client: AudioSessionClientID
        let token: InterruptionToken
    }

    /// What it is, for the log.
    let reason: String
    /// The numbers of the streams of conversations that are going on.
    private(set) var calls: Set<UInt32>
    /// Whether the server wants our streams to be silent.
    private(set) var isWantedByServer = false
    /// The clients that resume afterwards, in the order in which they were paused.
    private(set) var paused: [PausedClient] = []
    /// The clients that were made quieter.
    private(set) var ducked: [AudioSessionClientID] = []

    init(reason: String, calls: Set<UInt32> = []) {
        self.reason = reason
        self.calls = calls
    }

    /// Whether nothing has precedence any more.
    var isOver: Bool { calls.isEmpty && !isWantedByServer }

    // MARK: What has precedence

    mutating func add(call: UInt32) { calls.insert(call) }

    /// Ends a conversation. The end of the last one also ends the server's interruption: the server has silenced the streams for
    /// the conversation, and its own event comes later, or never for a stream that was released meanwhile.
    mutating func end(call: UInt32) {
        guard calls.remove(call) != nil, calls.isEmpty else { return }
        isWantedByServer = false
    }

    /// Takes over the present conversations.
    mutating func update(calls: Set<UInt32>) { self.calls = calls }

    /// Takes over the conversations of a server that is back. Without any, its earlier interruption has ended, too.
    mutating func restart(calls: Set<UInt32>) {
        self.calls = calls
        if calls.isEmpty { isWantedByServer = false }
    }

    /// Notes that the server has silenced our streams.
    mutating func serverSilences() { isWantedByServer = true }

    /// Notes that the server lets our streams sound again.
    mutating func serverReleases() { isWantedByServer = false }

    // MARK: Clients

    mutating func pause(_ client: AudioSessionClientID, _ token: InterruptionToken) {
        paused.append(PausedClient(client: client, token: token))
    }

    /// Removes a client from those that resume afterwards.
    mutating func removePaused(_ client: AudioSessionClientID) { paused.removeAll { $0.client == client } }

    /// Lets no paused client resume afterwards.
    mutating func resumeNobody() { paused = [] }

    mutating func duck(_ client: AudioSessionClientID) { ducked.append(client) }

    /// Removes a client from those that were made quieter.
    ///
    /// - Returns: Whether it was one of them.
    mutating func removeDucked(_ client: AudioSessionClientID) -> Bool {
        let count = ducked.count
        ducked.removeAll { $0 == client }
        return ducked.count < count
    }
}

/// The calls to clients. A client receives them one after the other, in the order in which they were made.
struct ClientCalls {
    /// The last call to each client that has not returned.
    private var last: [AudioSessionClientID: Task<Void, Never>] = [:]

    /// Calls a client after the earlier calls to it have returned.
    ///
    /// - Returns: A task that ends when the call has returned. ``ended(_:at:)`` is to be called then.
    mutating func add(
        to client: AudioSessionClientID, _ call: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        let earlier = last[client]
        let task = Task {
            await earlier?.value
            await call()
        }
        last[client] = task
        return task
    }

    /// Forgets a call that has returned.
    mutating func ended(_ task: Task<Void, Never>, at client: AudioSessionClientID) {
        if last[client] == task { last[client] = nil }
    }
}
