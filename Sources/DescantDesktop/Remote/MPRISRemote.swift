public import DescantCore
internal import Foundation
internal import Synchronization

/// The desktop's media controls by MPRIS 2: media keys, the player panel, `playerctl`.
///
/// It appears on the session bus as `org.mpris.MediaPlayer2.` and the name of the identity once a target is connected; if the name is
/// taken, it appends `.instance` and the process number. Without a session bus it does nothing. After the loss of the bus it appears
/// again as soon as the bus is back.
///
/// All work on the bus happens on its own thread, which never waits: tasks give commands to the target, and the answer follows when
/// the effect is published, at the latest after 20 s.
public final class MPRISRemote: RemoteControlPort {
    private struct State {
        var latest = NowPlaying.nothing
        var isQueued = false
        var isShown = false
        var isClosed = false
    }

    /// The address of the bus; `nil` when there is none.
    public let busAddress: String?

    private let presence: BusPresence?
    private let object: MPRISObject?
    private let exported: (any BusObject)?
    private let state = Mutex(State())

    /// Creates the port; it appears on the bus with the first target.
    ///
    /// - Parameters:
    ///   - identity: The names, icon and file types of the program.
    ///   - busAddress: The address of the bus, in the notation of D-Bus; `nil` for the session bus.
    ///   - logger: Receives errors of the bus.
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
    ///   - object: The player as MPRIS shows it.
    ///   - exported: The object that appears on the bus in its place.
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

    /// The name of the program on the bus, `nil` while it has none; begins with the present one.
    public var nameUpdates: EventStream<String?> {
        presence?.nameUpdates ?? EventHub<String?>(initial: nil).stream()
    }

    /// Sets the target of commands, and appears on the bus.
    ///
    /// - Parameter target: Carries out the commands; not retained.
    public func connect(to target: any RemoteCommandTarget) {
        guard let presence, let object, let exported else { return }
        object.commands.connect(to: target)
        let isFirst = state.withLock { state in
            defer { state.isShown = true }
            return !state.isShown && !state.isClosed
        }
        if isFirst { presence.show(exported) }
    }

    /// Shows the playback state.
    ///
    /// - Parameter nowPlaying: The whole state.
    public func publish(_ nowPlaying: NowPlaying) {
        let isNew = state.withLock { state in
            state.latest = nowPlaying
            defer { state.isQueued = true }
            return !state.isQueued && !state.isClosed
        }
        if isNew { presence?.post { [weak self] in self?.apply() } }
    }

    /// Announces a jump of the position.
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

    /// Leaves the bus and removes cover files. Takes up to 1 s.
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
