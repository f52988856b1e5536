public import Descant
public import Foundation
internal import PlayerApp
internal import Synchronization

/// Plays content, one after the other, on an engine of the person's choice.
///
/// Content that cannot be opened, or that fails while it plays, is reported, and the next one follows. A stop by another program, such as
/// another client of a player elsewhere, ends everything. Content that the remote control has stopped can be played again from there.
public final class EnginePlayback: Sendable {
    /// The commands of the remote control that keep an idle controller from being taken for one that another program has stopped.
    private struct Hold {
        /// Whether the content was stopped.
        var isStopped = false { didSet { changes += 1 } }
        /// How many calls are opening other content.
        var openings = 0 { didSet { changes += 1 } }
        /// How often that has changed.
        private(set) var changes = 0

        var isHeld: Bool { isStopped || openings > 0 }
    }

    /// How content has ended.
    private enum Ending {
        /// It was played to its end.
        case finished
        /// Another program has stopped it.
        case stopped
        /// It could not be opened, which is an ``InputError``, or the engine has failed.
        case failed(any Error)
    }

    let controller: MediaPlaybackController
    let environment: AudioEnvironment
    private let hold = Mutex(Hold())
    private let engine: String
    /// An input as it was named, and its address for the engine.
    private typealias Content = (name: String, url: URL)
    /// The contents that follow the present one.
    private let coming: Mutex<[Content]>
    /// Why inputs were left out.
    private let refusals: [InputError]
    /// The engine, if it plays elsewhere and has addresses of its own.
    private let elsewhere: String?
    private let isRemoteControlled: Bool

    /// Finds the engine; it is made by ``run(start:report:reportFailure:)``.
    ///
    /// - Parameters:
    ///   - identifier: The engine: `gstreamer`, or as `descant plugins` lists it.
    ///   - inputs: Files, folders, playlists, URLs, or whatever else the engine knows: `library://track/7`, or words.
    ///   - output: Where engines play that make sound themselves.
    ///   - isRemoteControlled: Whether the desktop's media controls reach it.
    ///   - environment: The library's environment.
    /// - Throws: ``InputError`` when there is no such engine, and for a playlist or folder without tracks when no other input has any.
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
        var refusals: [InputError] = []
        for input in inputs {
            do {
                contents += try await Self.contents(of: input, elsewhere: elsewhere, in: environment)
            } catch let error as InputError {
                refusals.append(error)
            }
        }
        if contents.isEmpty, let refusal = refusals.first { throw refusal }
        self.refusals = refusals
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

    /// Plays everything to its end, or until the task is cancelled, a remote control quits or another program stops it.
    ///
    /// - Parameters:
    ///   - start: Where the first content begins, in seconds.
    ///   - report: Receives a line for each change.
    ///   - reportFailure: Receives the error of content that the next one follows, or that is left out.
    /// - Throws: Why the engine cannot be made or does not play; ``InputError`` when no content can be opened.
    public func run(
        start: TimeInterval, report: @escaping @Sendable (String) -> Void,
        reportFailure: @escaping @Sendable (String) -> Void
    ) async throws {
        for refusal in refusals { reportFailure(refusal.description) }
        let (quits, feed) = AsyncStream.makeStream(of: Void.self)
        let bridge = isRemoteControlled ? makeBridge { feed.yield() } : nil
        do {
            try await controller.selectEngine(engine)
            await bridge?.start()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.playAll(start: start, report, reportFailure) }
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

    private func playAll(
        start: TimeInterval, _ report: @Sendable (String) -> Void, _ reportFailure: @Sendable (String) -> Void
    ) async throws {
        var start = start
        var isAnythingPlayed = false
        var failure: (any Error)?
        while !Task.isCancelled, let content = coming.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            if let failure { reportFailure("\(failure)") }
            failure = nil
            do {
                if try await begin(content, at: start) {
                    (start, isAnythingPlayed) = (0, true)
                    report("\(engine): \(content.name)")
                }
            } catch let error as InputError {
                failure = error
                continue
            }
            switch await wait(report) {
            case .finished: isAnythingPlayed = true
            case .stopped: return
            case .failed(let error): failure = error
            }
        }
        guard let failure else { return }
        // As in the built-in player, content that cannot be opened matters when nothing else was played.
        guard isAnythingPlayed, failure is InputError else { throw failure }
        reportFailure("\(failure)")
    }

    /// Opens content and plays it.
    ///
    /// - Returns: Whether it plays; `false` when a command of the remote control has ended the opening.
    /// - Throws: ``InputError`` for content that cannot be played; other errors would meet all other content, too.
    private func begin(_ content: Content, at start: TimeInterval) async throws -> Bool {
        hold.withLock { $0.isStopped = false }
        do {
            try await controller.loadContent(.url(content.url))
            if start > 0 { try await controller.seek(to: .time(start)) }
            try await controller.play()
            return true
        } catch let error as CoreError {
            // The server of a player elsewhere cannot be reached.
            if elsewhere != nil, case .ioError = error { throw error }
            throw InputError(description: error.message)
        } catch is CancellationError where !Task.isCancelled {
            await holdIfIdle()
            return false
        }
    }

    /// Holds content whose opening the remote control has ended: its play command opens the content again.
    private func holdIfIdle() async {
        let before = hold.withLock { $0.changes }
        guard await controller.state.activity == .idle else { return }
        hold.withLock { if $0.changes == before { $0.isStopped = true } }
    }

    /// Waits until the content has ended, for whatever reason.
    private func wait(_ report: @Sendable (String) -> Void) async -> Ending {
        var told = MediaPlaybackState.Activity.playing
        var track: NowPlayingTrack.ID?
        for await state in controller.updates {
            switch state.activity {
            case .playing where told != .playing: report("playing")
            case .paused where told != .paused: report("paused")
            case .buffering where told != .buffering: report("waiting for the connection")
            case .failed: return .failed(takeFailure(state.lastErrorMessage ?? "the engine has failed"))
            case .finished: return .finished
            case .idle:
                if await isStoppedElsewhere {
                    report("stopped")
                    return .stopped
                }
            case .playing, .paused, .buffering, .preparing: break
            }
            told = state.activity
            await tell(after: &track, report)
        }
        // The task was cancelled.
        return .stopped
    }

    /// The error for a failure of the controller: an ``InputError`` when the remote control was opening the content.
    private func takeFailure(_ message: String) -> any Error {
        let isRefused = hold.withLock { hold in
            guard hold.openings > 0 else { return false }
            hold.openings -= 1
            return true
        }
        return isRefused ? InputError(description: message) : EngineFailure(description: message)
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

    /// Whether the controller is idle, and not by a command of the remote control. What was told may be over already, and while the
    /// controller is asked a remote control may begin to open something.
    private var isStoppedElsewhere: Bool {
        get async {
            let before = hold.withLock { $0 }
            guard !before.isHeld, await controller.state.activity == .idle else { return false }
            return hold.withLock { $0.changes } == before.changes
        }
    }

    private func setStopped(_ isStopped: Bool) { hold.withLock { $0.isStopped = isStopped } }
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
        // Nothing is stopped for a file that is not there.
        guard !url.isFileURL || FileManager.default.fileExists(atPath: url.path) else {
            throw InputError(description: "file not found: \(url.path)")
        }
        let input = url.isFileURL ? url.path : url.absoluteString
        let contents = try await Self.contents(of: input, elsewhere: elsewhere, in: environment)
        guard let first = contents.first else { return }
        hold.withLock { $0.openings += 1 }
        coming.withLock { $0.insert(contentsOf: contents.dropFirst(), at: 0) }
        do {
            try await controller.perform(.open(first.url))
        } catch let error as CancellationError {
            hold.withLock { $0.openings -= 1 }
            throw error
        }
        // After another error the controller has failed, and who waits for its end takes the opening back.
        hold.withLock { hold in
            hold.openings -= 1
            hold.isStopped = false
        }
    }

    /// Carries out a command; content that was stopped from afar can be played again from there.
    private func carryOut(_ command: RemoteCommand) async throws {
        switch command {
        case .stop:
            setStopped(true)
            try await controller.perform(command)
        case .open(let url): try await open(url)
        case .play, .togglePlayPause:
            try await controller.perform(command)
            setStopped(false)
        default: try await controller.perform(command)
        }
    }
}
