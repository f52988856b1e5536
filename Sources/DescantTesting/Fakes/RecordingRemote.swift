public import DescantCore
internal import Synchronization

/// A remote control without an outside: keeps what it is shown, and sends commands as a person would.
public final class RecordingRemote: RemoteControlPort {
    private struct State {
        weak var target: (any RemoteCommandTarget)?
        var published: [NowPlaying] = []
        var jumps: [Double] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let hub = EventHub<NowPlaying>(initial: .nothing)

    /// Creates a remote control that was shown nothing.
    public init() {}

    /// What it was shown, in order, without repetitions.
    public var published: [NowPlaying] { state.withLock { $0.published } }

    /// What it shows.
    public var nowPlaying: NowPlaying { state.withLock { $0.published.last ?? .nothing } }

    /// The positions it was told of, in order.
    public var jumps: [Double] { state.withLock { $0.jumps } }

    /// Whether it was closed.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// What it shows from now on; begins with what it shows now.
    public var updates: EventStream<NowPlaying> { hub.stream(buffer: .bounded(256)) }

    /// Sends a command.
    ///
    /// - Parameter command: What a person wants.
    /// - Throws: What the target throws, and `CoreError.invalidState` when nobody is connected.
    public func send(_ command: RemoteCommand) async throws {
        guard let target = state.withLock({ $0.target }) else { throw CoreError.invalidState("nobody is connected") }
        try await target.perform(command)
    }

    /// Where the target says that the current track is, in seconds.
    public var position: Double {
        get async { await state.withLock { $0.target }?.remotePosition ?? 0 }
    }

    /// Names who carries out commands.
    ///
    /// - Parameter target: Who does.
    public func connect(to target: any RemoteCommandTarget) { state.withLock { $0.target = target } }

    /// Keeps what is shown.
    ///
    /// - Parameter nowPlaying: What is shown.
    public func publish(_ nowPlaying: NowPlaying) {
        state.withLock { state in
            guard state.published.last != nowPlaying else { return }
            state.published.append(nowPlaying)
            hub.post(nowPlaying)
        }
    }

    /// Keeps a position.
    ///
    /// - Parameter position: Seconds from the beginning of the track.
    public func positionJumped(to position: Double) { state.withLock { $0.jumps.append(position) } }

    /// Notes that it was closed.
    public func close() async { state.withLock { $0.isClosed = true } }
}
