internal import DescantCore
internal import Synchronization

/// Gives commands to their target one after the other, in the order of their arrival. `stop` and `quit` do not wait: they cancel the
/// running command and all waiting ones. No other command waits for one that opens an address.
final class RemoteCommandQueue: Sendable {
    typealias Answer = @Sendable (Result<Void, any Error>) -> Void

    private struct Entry {
        var command: RemoteCommand
        var answer: Answer
    }

    private struct State {
        weak var target: (any RemoteCommandTarget)?
        var waiting: [Entry] = []
        var running: Task<Void, Never>?
        /// The number of the present task; a cancelled one has a lower number.
        var run: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    /// The commands that open something, which may take seconds to load; `nil` in their own queue.
    private let openings: RemoteCommandQueue?

    /// The maximum number of waiting commands.
    private static let limit = 256

    convenience init() { self.init(openings: RemoteCommandQueue(openings: nil)) }

    private init(openings: RemoteCommandQueue?) { self.openings = openings }

    func connect(to target: any RemoteCommandTarget) {
        state.withLock { $0.target = target }
        openings?.connect(to: target)
    }

    var target: (any RemoteCommandTarget)? { state.withLock { $0.target } }

    /// Queues a command; the answer comes once, on any thread.
    func submit(_ command: RemoteCommand, answer: @escaping Answer) {
        if case .open = command, let openings { return openings.submit(command, answer: answer) }
        if command == .stop || command == .quit { cancelAll() }
        let isTaken = state.withLock { state in
            guard !state.isClosed, state.waiting.count < Self.limit else { return false }
            state.waiting.append(Entry(command: command, answer: answer))
            if state.running == nil { start(&state) }
            return true
        }
        if !isTaken { answer(.failure(BusError.failed("too many commands at once"))) }
    }

    /// Cancels all commands and refuses further ones.
    func close() {
        state.withLock { $0.isClosed = true }
        openings?.close()
        cancelAll()
    }

    private func cancelAll() {
        openings?.cancelAll()
        let (waiting, running) = state.withLock { state in
            defer {
                state.waiting = []
                state.running = nil
                state.run += 1
            }
            return (state.waiting, state.running)
        }
        // Outside of the lock: a cancellation handler may call back.
        running?.cancel()
        for entry in waiting { entry.answer(.failure(CancellationError())) }
    }

    private func start(_ state: inout State) {
        state.run += 1
        let run = state.run
        state.running = Task { [self] in
            while let entry = next(of: run) { await perform(entry) }
        }
    }

    private func next(of run: UInt64) -> Entry? {
        state.withLock { state in
            guard state.run == run else { return nil }
            guard !state.waiting.isEmpty else {
                state.running = nil
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    private func perform(_ entry: Entry) async {
        guard let target else { return entry.answer(.failure(CoreError.invalidState("nobody is there to do it"))) }
        do {
            try await target.perform(entry.command)
            entry.answer(.success(()))
        } catch {
            entry.answer(.failure(error))
        }
    }
}
