internal import Descant
internal import Synchronization

/// One entry in the desktop's media controls for the music and the book of an app: it shows and commands what played last.
///
/// What concerns the app as a whole, such as its window, its volume and addresses to be opened, goes to the music player.
final class SharedRemote: RemoteCommandTarget {
    /// Who shares the entry.
    enum Member: Sendable { case music, book }

    private struct State {
        /// The members that are connected.
        var targets: [Member: WeakTarget] = [:]
        /// What each of them has published last.
        var published: [Member: NowPlaying] = [:]
        /// How many readers have got a part.
        var readers = 0
        /// The number of the reader that began last. One that began before it has been closed, and shows nothing more.
        var reader = 0
        var shown = Member.music

        /// Whether a member is present; a reader becomes so in place of the one before.
        mutating func admit(_ member: Member, _ number: Int) -> Bool {
            guard member == .book else { return true }
            if number > reader {
                reader = number
                targets[.book] = nil
                published[.book] = nil
            }
            return number == reader
        }
    }

    private struct WeakTarget { weak var target: (any RemoteCommandTarget)? }

    private let remote: any RemoteControlPort
    private let state = Mutex(State())

    /// What the music player decides, whatever is heard.
    private static let ofTheApp: RemoteAbilities = [.open, .raise, .quit]

    /// Shares an entry.
    ///
    /// - Parameter remote: The entry.
    init(_ remote: any RemoteControlPort) { self.remote = remote }

    /// The music player's part; closing it closes the entry.
    var music: any RemoteControlPort { Port(shared: self, member: .music, number: 0) }

    /// The part of a reader, which takes the place of the one before when it begins.
    func makeReaderPort() -> any RemoteControlPort {
        let number = state.withLock { state in
            state.readers += 1
            return state.readers
        }
        return Port(shared: self, member: .book, number: number)
    }

    // MARK: Commands

    func perform(_ command: RemoteCommand) async throws {
        let member: Member =
            switch command {
            case .open, .addTrack, .removeTrack, .goTo, .activatePlaylist, .setVolume, .raise, .quit: .music
            default: state.withLock { $0.shown }
            }
        guard let target = state.withLock({ $0.targets[member]?.target }) else {
            throw CoreError.invalidState("the player is gone")
        }
        try await target.perform(command)
    }

    var remotePosition: Double {
        get async {
            let target = state.withLock { state in state.targets[state.shown]?.target }
            return await target?.remotePosition ?? 0
        }
    }

    // MARK: Members

    fileprivate func connect(_ target: any RemoteCommandTarget, _ member: Member, _ number: Int) {
        let isPresent = state.withLock { state in
            guard state.admit(member, number) else { return false }
            state.targets[member] = WeakTarget(target: target)
            return true
        }
        // The entry is there as long as the music player is.
        if isPresent, member == .music { remote.connect(to: self) }
    }

    fileprivate func publish(_ nowPlaying: NowPlaying, _ member: Member, _ number: Int) {
        // Published under the lock: no snapshot overtakes a newer one.
        state.withLock { state in
            guard state.admit(member, number) else { return }
            let began = nowPlaying.status == .playing && state.published[member]?.status != .playing
            state.published[member] = nowPlaying
            if began { state.shown = member }
            // What the app can do is the music player's to say.
            if state.shown == member || member == .music { show(state) }
        }
    }

    private func show(_ state: State) {
        guard var shown = state.published[state.shown] else { return }
        if state.shown == .book, let music = state.published[.music] {
            shown.abilities.formUnion(music.abilities.intersection(Self.ofTheApp))
            shown.volume = music.volume
        }
        remote.publish(shown)
    }

    fileprivate func positionJumped(to position: Double, _ member: Member, _ number: Int) {
        let isShown = state.withLock { $0.admit(member, number) && $0.shown == member }
        if isShown { remote.positionJumped(to: position) }
    }

    fileprivate func close(_ member: Member, _ number: Int) async {
        guard member == .book else { return await remote.close() }
        state.withLock { state in
            guard state.admit(member, number) else { return }
            state.targets[.book] = nil
            state.published[.book] = nil
            guard state.shown == .book else { return }
            state.shown = .music
            show(state)
        }
    }

    /// The entry as one member sees it.
    private final class Port: RemoteControlPort {
        private let shared: SharedRemote
        private let member: Member
        private let number: Int

        init(shared: SharedRemote, member: Member, number: Int) {
            self.shared = shared
            self.member = member
            self.number = number
        }

        func connect(to target: any RemoteCommandTarget) { shared.connect(target, member, number) }
        func publish(_ nowPlaying: NowPlaying) { shared.publish(nowPlaying, member, number) }
        func positionJumped(to position: Double) { shared.positionJumped(to: position, member, number) }
        func close() async { await shared.close(member, number) }
    }
}
