internal import DescantCore
internal import Synchronization

/// Gives commands to their target one after the other, in the order of their arrival. `stop` and `quit` do not wait: they cancel the
/// running command and all waiting ones. No other command waits for one that opens an address. A pause does not wait for
/// a running command that may open a file, so that it can end a slow start.
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
        /// What may overtake the running command; `nil` for nothing.
        var overtaking: Overtaking?
        /// The pause that has overtaken the running command.
        var pausing: Task<Void, Never>?
        /// Whether the target is shown as playing.
        var isPlaying = false
        /// The number of the present task; a cancelled one has a lower number.
        var run: UInt64 = 0
        var isClosed = false
    }

    /// What may overtake a command.
    private enum Overtaking {
        /// `pause`, and `togglePlayPause`, which means a pause behind a start.
        case anyPause
        /// `pause`, and `togglePlayPause` while the target is shown as playing. Otherwise it means to play.
        case pauseOfWhatPlays
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

    /// Notes what the target is shown to do, which decides on what `togglePlayPause` means.
    func note(isPlaying: Bool) { state.withLock { $0.isPlaying = isPlaying } }

    /// Queues a command; the answer comes once, on any thread.
    func submit(_ command: RemoteCommand, answer: @escaping Answer) {
        if case .open = command, let openings { return openings.submit(command, answer: answer) }
        if command == .stop || command == .quit { cancelAll() }
        let isTaken = state.withLock { state in
            guard !state.isClosed, state.waiting.count < Self.limit else { return false }
            state.waiting.append(Entry(command: command, answer: answer))
            if state.running == nil { start(&state) } else { letPauseOvertake(&state) }
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
        let (waiting, running, pausing) = state.withLock { state in
            defer {
                state.waiting = []
                state.running = nil
                (state.overtaking, state.pausing) = (nil, nil)
                state.run += 1
            }
            return (state.waiting, state.running, state.pausing)
        }
        // Outside of the lock: a cancellation handler may call back.
        running?.cancel()
        pausing?.cancel()
        for entry in waiting { entry.answer(.failure(CancellationError())) }
    }

    private func start(_ state: inout State) {
        state.run += 1
        let run = state.run
        state.running = Task { [self] in
            while let entry = next(of: run) {
                await perform(entry)
                await waitForPause(of: run)
            }
        }
    }

    /// Carries out a waiting pause if it may overtake the running command. At most one does, and it overtakes no
    /// waiting command that plays or pauses.
    private func letPauseOvertake(_ state: inout State) {
        guard let overtaking = state.overtaking,
            let index = state.waiting.firstIndex(where: { $0.command.playsOrPauses })
        else { return }
        switch state.waiting[index].command {
        case .pause: break
        case .togglePlayPause where overtaking == .anyPause || state.isPlaying: break
        default: return
        }
        let entry = state.waiting.remove(at: index)
        state.overtaking = nil
        state.pausing = Task { [self] in
            if Task.isCancelled { return entry.answer(.failure(CancellationError())) }
            await perform(entry)
        }
    }

    /// Waits for a pause that has overtaken the command which has just ended. The next command is newer than the pause.
    private func waitForPause(of run: UInt64) async {
        let pausing = state.withLock { state -> Task<Void, Never>? in
            guard state.run == run else { return nil }
            state.overtaking = nil
            defer { state.pausing = nil }
            return state.pausing
        }
        await pausing?.value
    }

    private func next(of run: UInt64) -> Entry? {
        state.withLock { state in
            guard state.run == run else { return nil }
            guard !state.waiting.isEmpty else {
                state.running = nil
                return nil
            }
            let entry = state.waiting.removeFirst()
            state.overtaking = overtaking(entry.command, whilePlaying: state.isPlaying)
            return entry
        }
    }

    /// What may overtake a command: nothing, unless that may open a file.
    private func overtaking(_ command: RemoteCommand, whilePlaying isPlaying: Bool) -> Overtaking? {
        switch command {
        case .play: .anyPause
        case .togglePlayPause: isPlaying ? nil : .anyPause
        case .next, .previous, .seek, .addTrack, .removeTrack, .goTo, .activatePlaylist: .pauseOfWhatPlays
        default: nil
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

extension RemoteCommand {
    /// Whether it may decide that something plays, or that nothing does.
    fileprivate var playsOrPauses: Bool {
        switch self {
        case .play, .pause, .togglePlayPause, .addTrack, .goTo, .activatePlaylist: true
        default: false
        }
    }
}
