public import DescantCore
internal import Synchronization

/// A remote control without a desktop: it records what is published, and a test sends commands as a user would.
public final class RecordingRemote: RemoteControlPort {
    private struct State {
        weak var target: (any RemoteCommandTarget)?
        var published: [NowPlaying] = []
        var jumps: [Double] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let hub = EventHub<NowPlaying>(initial: .nothing)

    /// Creates a remote control.
    public init() {}

    /// The published values, in order, without repetitions.
    public var published: [NowPlaying] { state.withLock { $0.published } }

    /// The value published last.
    public var nowPlaying: NowPlaying { state.withLock { $0.published.last ?? .nothing } }

    /// The positions given to ``positionJumped(to:)``, in order, in seconds.
    public var jumps: [Double] { state.withLock { $0.jumps } }

    /// Whether it was closed.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The value published last, then every later one.
    public var updates: EventStream<NowPlaying> { hub.stream(buffer: .bounded(256)) }

    /// Sends a command.
    ///
    /// - Parameter command: The command.
    /// - Throws: The target's error; `CoreError.invalidState` when no target is connected.
    public func send(_ command: RemoteCommand) async throws {
        guard let target = state.withLock({ $0.target }) else { throw CoreError.invalidState("no target is connected") }
        try await target.perform(command)
    }

    /// The target's position in the current track, in seconds.
    public var position: Double {
        get async { await state.withLock { $0.target }?.remotePosition ?? 0 }
    }

    /// Sets the target that carries out commands.
    ///
    /// - Parameter target: The target.
    public func connect(to target: any RemoteCommandTarget) { state.withLock { $0.target = target } }

    /// Records a value.
    ///
    /// - Parameter nowPlaying: The value to show.
    public func publish(_ nowPlaying: NowPlaying) {
        state.withLock { state in
            guard state.published.last != nowPlaying else { return }
            state.published.append(nowPlaying)
            hub.post(nowPlaying)
        }
    }

    /// Records a position.
    ///
    /// - Parameter position: Seconds from the beginning of the track.
    public func positionJumped(to position: Double) { state.withLock { $0.jumps.append(position) } }

    /// Marks the remote control as closed.
    public func close() async { state.withLock { $0.isClosed = true } }
}
