public import DescantCore

/// Connects a player to a remote control: publishes what it plays, and answers commands once their effect was published.
///
/// The bridge does not keep the player alive, and closes the remote control when it goes itself: a player that keeps its bridge
/// disappears from remote controls when it is released.
public actor RemoteControlBridge: RemoteCommandTarget {
    private weak var player: (any RemoteControllable)?
    private let remote: any RemoteControlPort
    private let options: RemoteControlOptions
    private var following: Task<Void, Never>?
    private var isClosed = false

    /// How many publications were asked for, and up to which one they were made.
    private var wanted: UInt64 = 0
    private var published: UInt64 = 0
    private var publishing: Task<Void, Never>?

    /// Creates a bridge; nothing is visible before ``start()``.
    ///
    /// - Parameters:
    ///   - player: What is shown and commanded; not retained.
    ///   - remote: Where it is shown.
    ///   - options: What the host adds or takes away.
    public init(
        player: any RemoteControllable, remote: any RemoteControlPort,
        options: RemoteControlOptions = RemoteControlOptions()
    ) {
        self.player = player
        self.remote = remote
        self.options = options
    }

    deinit {
        following?.cancel()
        let remote = remote
        Task { await remote.close() }
    }

    /// Publishes what is playing, and everything that changes from now on. Returns when the present state was published.
    public func start() async {
        guard following == nil, !isClosed, let player else { return }
        let changes = player.remoteChanges.buffered(.bounded(1024)).numbered
        following = Task { [weak self] in
            for await change in changes { await self?.tell(change.event) }
        }
        await publish()
        remote.connect(to: self)
    }

    /// Ends it: the player is neither shown nor commanded any more.
    public func close() async {
        isClosed = true
        following?.cancel()
        remote.clear()
        await remote.close()
    }

    // MARK: Commands

    /// Carries out a command and publishes what came of it.
    ///
    /// - Parameter command: What is wanted.
    /// - Throws: Why it was not done.
    public func perform(_ command: RemoteCommand) async throws {
        guard let player, !isClosed else { throw CoreError.invalidState("the player is gone") }
        if let shouldPerform = options.shouldPerform, try await !shouldPerform(command) { return await publish() }
        switch command {
        case .quit: await options.quit?()
        case .raise: await options.raise?()
        default:
            do {
                try await player.perform(command)
            } catch {
                // Part of it may have happened.
                await publish()
                throw error
            }
        }
        await publish()
    }

    /// Where the current track is, in seconds.
    public var remotePosition: Double {
        get async { await player?.remotePosition ?? 0 }
    }

    // MARK: Publishing

    private func tell(_ change: RemoteChange) async {
        await publish()
        if case .jumped(let position) = change, !isClosed { remote.positionJumped(to: position) }
    }

    /// Publishes a state that is not older than this call. One publication at a time, so that none overtakes a newer one.
    private func publish() async {
        wanted += 1
        let mine = wanted
        while published < mine, !isClosed {
            let task = publishing ?? Task { await publishOnce() }
            publishing = task
            await task.value
        }
    }

    private func publishOnce() async {
        let number = wanted
        var snapshot = await player?.nowPlaying() ?? .nothing
        if options.quit != nil { snapshot.abilities.insert(.quit) }
        if options.raise != nil { snapshot.abilities.insert(.raise) }
        snapshot.abilities.formIntersection(options.allowed)
        if !isClosed { remote.publish(snapshot) }
        published = number
        publishing = nil
    }
}
