public import Descant
public import Foundation
internal import PlayerApp
internal import Synchronization

/// Plays content, one after the other, on an engine of the person's choice.
public final class EnginePlayback: Sendable {
    let controller: MediaPlaybackController
    let environment: AudioEnvironment
    /// Whether a remote control has stopped the content, or is about to open another one: the next one has to wait then. And how
    /// often that has changed.
    private let hold = Mutex((isHeld: false, changes: 0))
    private let engine: String
    /// An input as it was named, and its address for the engine.
    private typealias Content = (name: String, url: URL)
    /// The contents that follow the present one.
    private let coming: Mutex<[Content]>
    /// The engine, if it plays elsewhere and has addresses of its own.
    private let elsewhere: String?
    private let isRemoteControlled: Bool

    /// Finds the engine; it is made by ``run(start:report:)``.
    ///
    /// - Parameters:
    ///   - identifier: The engine: `gstreamer`, or as `descant plugins` lists it.
    ///   - inputs: Files, folders, playlists, URLs, or whatever else the engine knows: `library://track/7`, or words.
    ///   - output: Where engines play that make sound themselves.
    ///   - isRemoteControlled: Whether the desktop's media controls reach it.
    ///   - environment: The library's environment.
    /// - Throws: ``InputError`` when there is no such engine, and for a playlist or folder without tracks.
    public init(
        _ identifier: String, inputs: [String], output: OutputDestination, isRemoteControlled: Bool = true,
        environment: AudioEnvironment
    ) async throws {
        controller = environment.makeController(output: output, policy: .onDemand)
        guard controller.canUseEngine(identifier) else {
            let list = controller.availableEngines.sorted().joined(separator: ", ")
            throw InputError(description: "there is no engine \(identifier); there are: \(list)")
        }
        engine = identifier
        let isElsewhere = environment.plugins.providers(of: .engine)
            .contains { $0.provision.identifier == identifier && $0.provision.capabilities.contains("remote") }
        let elsewhere = isElsewhere ? identifier : nil
        var contents: [Content] = []
        for input in inputs { contents += try await Self.contents(of: input, elsewhere: elsewhere, in: environment) }
        coming = Mutex(contents)
        self.elsewhere = elsewhere
        self.isRemoteControlled = isRemoteControlled
        self.environment = environment
    }

    /// Returns the tracks of an input.
    ///
    /// Files, folders and playlists are what they are for every player; a player elsewhere gets playlists on the web as they are. What is
    /// neither a file nor an address, such as words to search for, and an address that is no URL, go to an engine of a player elsewhere
    /// as they were written: `ENGINE:INPUT`.
    private static func contents(
        of input: String, elsewhere engine: String?, in environment: AudioEnvironment
    ) async throws -> [Content] {
        let file = InputExpander.url(for: input)
        if engine == nil || file.isFileURL && FileManager.default.fileExists(atPath: file.path) {
            return try await InputExpander.entries(for: [file], in: environment).map { ($0.url.shownAddress, $0.url) }
        }
        let isWeb = file.scheme == "http" || file.scheme == "https"
        if !file.isFileURL, isWeb || file.absoluteString == input { return [(file.shownAddress, file)] }
        guard let engine, !input.hasPrefix("/"), !input.hasPrefix("."),
            let text = input.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed),
            let url = URL(string: "\(engine):\(text)")
        else { return [(file.shownAddress, file)] }
        return [(input, url)]
    }

    /// Plays everything to its end, or until the task is cancelled or a remote control quits.
    ///
    /// - Parameters:
    ///   - start: Where the first content begins, in seconds.
    ///   - report: Gets a line for each change.
    /// - Throws: Why the engine cannot be made or does not play.
    public func run(start: TimeInterval, report: @escaping @Sendable (String) -> Void) async throws {
        let (quits, feed) = AsyncStream.makeStream(of: Void.self)
        let bridge = isRemoteControlled ? makeBridge { feed.yield() } : nil
        do {
            try await controller.selectEngine(engine)
            await bridge?.start()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.playAll(start: start, report) }
                if bridge != nil { group.addTask { for await _ in quits { return } } }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch {
            await end(bridge)
            throw error
        }
        await end(bridge)
    }

    private func end(_ bridge: RemoteControlBridge?) async {
        await controller.stop()
        await bridge?.close()
    }

    private func playAll(start: TimeInterval, _ report: @Sendable (String) -> Void) async throws {
        var isFirst = true
        while !Task.isCancelled, let content = coming.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            do {
                try await controller.loadContent(.url(content.url))
            } catch CoreError.notFound(let message) {
                throw InputError(description: message)
            }
            if isFirst, start > 0 { try await controller.seek(to: .time(start)) }
            isFirst = false
            try await controller.play()
            report("\(engine): \(content.name)")
            try await wait(report)
        }
    }

    /// Waits until the content has ended, for whatever reason.
    private func wait(_ report: @Sendable (String) -> Void) async throws {
        var told = MediaPlaybackState.Activity.playing
        var track: NowPlayingTrack.ID?
        for await state in controller.updates {
            switch state.activity {
            case .playing where told != .playing: report("playing")
            case .paused where told != .paused: report("paused")
            case .buffering where told != .buffering: report("waiting for the connection")
            case .failed: throw EngineFailure(description: state.lastErrorMessage ?? "the engine has failed")
            case .finished: return
            case .idle: if await hasEnded { return }
            case .playing, .paused, .buffering, .preparing: break
            }
            told = state.activity
            await tell(after: &track, report)
        }
    }

    /// Reports each new item of an engine that has a queue of its own.
    private func tell(after told: inout NowPlayingTrack.ID?, _ report: @Sendable (String) -> Void) async {
        guard await controller.state.capabilities.contains(.remote),
            let track = await controller.nowPlaying().track, track.id != told
        else { return }
        told = track.id
        let name = [track.artists.joined(separator: ", "), track.title ?? ""].filter { !$0.isEmpty }
            .joined(separator: " – ")
        let length = track.duration.map { Duration.seconds($0).formatted(.time(pattern: .minuteSecond)) }
        report("  \(name)\(length.map { "  \($0)" } ?? "")")
    }

    /// Whether nothing is played any more, nor will be by a remote control. What was told may be over already, and while the
    /// controller is asked a remote control may begin to open something.
    private var hasEnded: Bool {
        get async {
            let before = hold.withLock { $0 }
            guard !before.isHeld, await controller.state.activity == .idle else { return false }
            return hold.withLock { $0.changes } == before.changes
        }
    }

    private func setHeld(_ isHeld: Bool) {
        hold.withLock { $0 = (isHeld, $0.changes + 1) }
    }
}

/// Why an engine has stopped, in the controller's words.
private struct EngineFailure: Error, CustomStringConvertible {
    let description: String
}

/// The desktop's media controls: media keys, the player panel, `playerctl --player descant`.
extension EnginePlayback {
    func makeBridge(quit: @escaping @Sendable () -> Void) -> RemoteControlBridge {
        let remote = environment.makeRemoteControl(
            RemoteIdentity(name: "descant", displayName: "Descant", uriSchemes: ["file", "http", "https", "library"]))
        return RemoteControlBridge(
            player: controller, remote: remote,
            options: RemoteControlOptions(
                quit: { quit() },
                shouldPerform: { [weak self] command in
                    guard let self, command != .quit else { return true }
                    try await self.carryOut(command)
                    return false
                }))
    }

    /// Opens what the command line takes: the first content at once, the others of a folder or playlist behind it.
    private func open(_ url: URL) async throws {
        let input = url.isFileURL ? url.path : url.absoluteString
        var contents = try await Self.contents(of: input, elsewhere: elsewhere, in: environment)
        guard !contents.isEmpty else { return }
        setHeld(true)
        try await controller.perform(.open(contents.removeFirst().url))
        coming.withLock { $0.insert(contentsOf: contents, at: 0) }
        setHeld(false)
    }

    /// Carries out a command; content that was stopped from afar can be played again from there.
    private func carryOut(_ command: RemoteCommand) async throws {
        switch command {
        case .stop:
            setHeld(true)
            try await controller.perform(command)
        case .open(let url): try await open(url)
        case .play, .togglePlayPause:
            try await controller.perform(command)
            setHeld(false)
        default: try await controller.perform(command)
        }
    }
}
