public import DescantCore
internal import Foundation
internal import Synchronization

/// The desktop's media controls by MPRIS 2: media keys, the player panel, `playerctl`.
///
/// It appears on the session's bus as `org.mpris.MediaPlayer2.` and the identity's name once a target is connected; a program that
/// finds the name taken gets one of its own, `….instance` and its process number. Without a session bus it does nothing. When the bus
/// dies, the program goes on and appears again as soon as the bus is back.
///
/// Everything about the bus happens on a thread of its own, which waits for nobody: commands are given to the target in tasks, and
/// answered when their effect was published, at the latest after 20 s.
public final class MPRISRemote: RemoteControlPort {
    private struct State {
        var latest = NowPlaying.nothing
        var isQueued = false
        var isShown = false
        var isClosed = false
    }

    /// Where the bus is; `nil` when there is none.
    public let busAddress: String?

    private let presence: BusPresence?
    private let object: MPRISObject?
    private let exported: (any BusObject)?
    private let state = Mutex(State())

    /// Prepares it; nothing is visible before a target is connected.
    ///
    /// - Parameters:
    ///   - identity: How the program presents itself.
    ///   - busAddress: Where the bus is, in the notation of D-Bus; `nil` for the session's.
    ///   - logger: Where it writes what it had to deal with.
    public init(identity: RemoteIdentity, busAddress: String? = nil, logger: any LoggerPort = NoopLogger()) {
        let address = busAddress ?? BusAddress.session()
        self.busAddress = address
        presence = address.map {
            BusPresence(address: $0, name: MPRISName.bus(identity.name), path: MPRISName.path, logger: logger)
        }
        object = presence.map { MPRISObject(identity, emitter: $0, logger: logger) }
        exported = object
    }

    /// - Parameters:
    ///   - presence: The presence on the bus.
    ///   - object: What shows and commands the player.
    ///   - exported: What is put on the bus in the object's place.
    init(_ presence: BusPresence, _ object: MPRISObject, exported: any BusObject) {
        busAddress = presence.address
        self.presence = presence
        self.object = object
        self.exported = exported
    }

    deinit {
        guard let presence, let object, !state.withLock({ $0.isClosed }) else { return }
        Task { await Self.close(presence, object) }
    }

    /// The name that the program has on the bus, `nil` while it has none; begins with the present one.
    public var nameUpdates: EventStream<String?> {
        presence?.nameUpdates ?? EventHub<String?>(initial: nil).stream()
    }

    /// Names who carries out commands, and appears on the bus.
    ///
    /// - Parameter target: Who does; not retained.
    public func connect(to target: any RemoteCommandTarget) {
        guard let presence, let object, let exported else { return }
        object.commands.connect(to: target)
        let isFirst = state.withLock { state in
            defer { state.isShown = true }
            return !state.isShown && !state.isClosed
        }
        if isFirst { presence.show(exported) }
    }

    /// Shows what is playing.
    ///
    /// - Parameter nowPlaying: The whole of it.
    public func publish(_ nowPlaying: NowPlaying) {
        let isNew = state.withLock { state in
            state.latest = nowPlaying
            defer { state.isQueued = true }
            return !state.isQueued && !state.isClosed
        }
        if isNew { presence?.post { [weak self] in self?.apply() } }
    }

    /// Tells of a jump.
    ///
    /// - Parameter position: Seconds from the beginning of the current track.
    public func positionJumped(to position: Double) {
        presence?.post { [weak self] in
            self?.object?.jump(to: position)
            self?.apply()
        }
    }

    private func apply() {
        let latest = state.withLock { state in
            state.isQueued = false
            return state.latest
        }
        object?.show(latest)
        object?.flush()
    }

    /// Leaves the bus and removes cover files; takes a second at most, whatever the bus does.
    public func close() async {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst, let presence, let object else { return }
        await Self.close(presence, object)
    }

    private static func close(_ presence: BusPresence, _ object: MPRISObject) async {
        object.commands.close()
        presence.post { object.removeCovers() }
        await presence.close()
    }
}
