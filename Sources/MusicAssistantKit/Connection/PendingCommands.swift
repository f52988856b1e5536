internal import Synchronization

/// The commands of one connection that are not sent yet or wait for their replies.
///
/// Each command has an entry with its caller. The reply, the time limit, the caller's cancellation or the end of the
/// connection removes the entry, whichever is first, and then resumes the caller; so each caller is resumed exactly once.
/// The bytes to send belong to the entry, so a stalled server costs no more memory than the waiting callers.
final class PendingCommands: Sendable {
    /// How the result reaches a caller.
    enum Caller: Sendable {
        case single(CheckedContinuation<JSONValue, any Error>)
        case stream(AsyncThrowingStream<[JSONValue], any Error>.Continuation)
        /// Called in the order of messages, on the connection's thread.
        case inOrder(@Sendable (Result<JSONValue, any Error>) -> Void)

        func finish(_ result: Result<JSONValue, any Error>) {
            switch self {
            case .single(let continuation): continuation.resume(with: result)
            case .inOrder(let body): body(result)
            case .stream(let continuation):
                switch result {
                case .success: continuation.finish()
                case .failure(let error): continuation.finish(throwing: error)
                }
            }
        }
    }

    /// One command.
    struct Entry: Sendable {
        let command: String
        let limit: Duration
        let deadline: Duration
        let caller: Caller
        var outgoing: [UInt8]?
        /// The secrets among its arguments, which the server may repeat in an error.
        let secrets: [String]
        var chunks: [JSONValue] = []

        /// The same error without the secrets.
        func hidingSecrets(in error: any Error) -> any Error {
            guard var hidden = error as? MusicAssistantError else { return error }
            for secret in secrets { hidden = hidden.hiding(secret) }
            return hidden
        }
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var unsent: [Int] = []
        var firstUnsent = 0
        var end: (any Error)?
        var timer: Task<Void, Never>?
        var timerDeadline: Duration?
    }

    private let clock: any ClientClock
    private let state = Mutex(State())

    init(clock: any ClientClock) { self.clock = clock }

    deinit { state.withLock { $0.timer }?.cancel() }

    var count: Int { state.withLock { $0.entries.count } }

    // MARK: Adding

    /// Adds a command. After the end of the connection its caller fails at once.
    func add(_ id: Int, _ entry: Entry) {
        let end: (any Error)? = state.withLock { state in
            if state.end == nil {
                state.entries[id] = entry
                state.unsent.append(id)
                arm(for: entry.deadline, &state)
            }
            return state.end
        }
        if let end { entry.caller.finish(.failure(end)) }
    }

    /// The next bytes to send, in the order of the commands; nil when there are none.
    func nextOutgoing() -> [UInt8]? {
        state.withLock { state in
            while state.firstUnsent < state.unsent.count {
                let id = state.unsent[state.firstUnsent]
                state.firstUnsent += 1
                if let bytes = state.entries[id]?.outgoing {
                    state.entries[id]?.outgoing = nil
                    return bytes
                }
            }
            state.unsent.removeAll(keepingCapacity: true)
            state.firstUnsent = 0
            return nil
        }
    }

    // MARK: Removing

    private func take(_ id: Int) -> Entry? { state.withLock { $0.entries.removeValue(forKey: id) } }

    /// Resumes a caller, unless it was resumed before.
    ///
    /// - Returns: Whether a caller waited.
    @discardableResult
    func fail(_ id: Int, _ error: any Error) -> Bool {
        guard let entry = take(id) else { return false }
        entry.caller.finish(.failure(entry.hidingSecrets(in: error)))
        return true
    }

    /// Handles a result or a part of one.
    ///
    /// - Returns: Whether a caller waited.
    func succeed(_ message: ResultMessage) -> Bool {
        let id = message.messageId
        guard message.isPartial else {
            guard let entry = take(id) else { return false }
            deliverLast(message.result, to: entry)
            return true
        }
        return keep(message)
    }

    private func keep(_ part: ResultMessage) -> Bool {
        let stream: AsyncThrowingStream<[JSONValue], any Error>.Continuation?
        let found: Bool
        (found, stream) = state.withLock { state in
            guard let entry = state.entries[part.messageId] else { return (false, nil) }
            if case .stream(let continuation) = entry.caller { return (true, continuation) }
            state.entries[part.messageId]?.chunks.append(contentsOf: Self.elements(of: part.result))
            return (true, nil)
        }
        if let stream { deliver(part.result, to: stream, of: part.messageId) }
        return found
    }

    private func deliverLast(_ result: JSONValue, to entry: Entry) {
        if case .stream(let continuation) = entry.caller {
            let part = Self.elements(of: result)
            if !part.isEmpty, case .dropped = continuation.yield(part) {
                continuation.finish(throwing: MusicAssistantError.resultsOverflowed(command: entry.command))
            }
            continuation.finish()
        } else if entry.chunks.isEmpty {
            entry.caller.finish(.success(result))
        } else {
            entry.caller.finish(.success(.array(entry.chunks + Self.elements(of: result))))
        }
    }

    private func deliver(
        _ result: JSONValue, to stream: AsyncThrowingStream<[JSONValue], any Error>.Continuation, of id: Int
    ) {
        guard case .dropped = stream.yield(Self.elements(of: result)), let entry = take(id) else { return }
        entry.caller.finish(.failure(MusicAssistantError.resultsOverflowed(command: entry.command)))
    }

    private static func elements(of part: JSONValue) -> [JSONValue] {
        switch part {
        case .array(let elements): elements
        case .null: []
        default: [part]
        }
    }

    /// Ends the table: waiting callers and later ones fail with the error.
    func end(_ error: any Error) {
        let (entries, timer) = state.withLock { state in
            defer {
                state.entries = [:]
                state.unsent = []
                state.firstUnsent = 0
                state.end = state.end ?? error
                state.timer = nil
            }
            return (state.entries, state.timer)
        }
        timer?.cancel()
        for entry in entries.values { entry.caller.finish(.failure(error)) }
    }

    // MARK: Time limits

    /// One timer runs for all commands. It is set to the first deadline known at that time, so that with equal limits it
    /// fires once per limit and not once per command.
    private func arm(for deadline: Duration, _ state: inout State) {
        if let present = state.timerDeadline, present <= deadline { return }
        state.timer?.cancel()
        state.timerDeadline = deadline
        state.timer = Task { [weak self, clock] in
            guard (try? await clock.sleep(until: deadline)) != nil else { return }
            self?.expire()
        }
    }

    private func expire() {
        let now = clock.uptime
        let expired: [Int: Entry] = state.withLock { state in
            guard state.end == nil else { return [:] }
            let expired = state.entries.filter { $0.value.deadline <= now }
            for id in expired.keys { state.entries[id] = nil }
            state.timer = nil
            state.timerDeadline = nil
            if let next = state.entries.values.lazy.map(\.deadline).min() { arm(for: next, &state) }
            return expired
        }
        for (id, entry) in expired {
            let reference = CommandReference(messageId: id, command: entry.command, limit: entry.limit)
            entry.caller.finish(.failure(MusicAssistantError.commandTimeout(messageId: reference)))
        }
    }
}
