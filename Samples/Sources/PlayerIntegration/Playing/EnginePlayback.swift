public import Descant
public import Foundation
internal import PlayerApp
internal import Synchronization

/// Plays inputs one after the other on an engine that the user names.
public final class EnginePlayback: Sendable {
    let controller: MediaPlaybackController
    let environment: AudioEnvironment
    /// Whether a remote control has stopped the content or is about to open other content; the next input then waits.
    let isHeld = Mutex(false)
    private let engine: String
    /// An input as it was named, and its address for the engine.
    private let contents: [(name: String, url: URL)]
    private let isRemoteControlled: Bool

    /// Finds the engine; it is made by ``run(start:report:)``.
    ///
    /// - Parameters:
    ///   - identifier: The engine: `gstreamer`, or as `descant plugins` lists it.
    ///   - inputs: Files, folders, M3U playlists, URLs, or other inputs of the engine, such as `library://track/7` or words.
    ///   - output: The output of engines that make sound in this process.
    ///   - isRemoteControlled: Whether the desktop's media controls reach it.
    ///   - environment: The library's environment.
    /// - Throws: ``InputError`` when there is no such engine, and for a playlist or folder without tracks.
    public init(
        _ identifier: String, inputs: [String], output: OutputDestination, isRemoteControlled: Bool = true,
        environment: AudioEnvironment
    ) throws {
        controller = environment.makeController(output: output, policy: .onDemand)
        guard controller.canUseEngine(identifier) else {
            let list = controller.availableEngines.sorted().joined(separator: ", ")
            throw InputError(description: "there is no engine \(identifier); there are: \(list)")
        }
        engine = identifier
        let isElsewhere = environment.plugins.providers(of: .engine)
            .contains { $0.provision.identifier == identifier && $0.provision.capabilities.contains("remote") }
        contents = try inputs.flatMap { try Self.contents(of: $0, elsewhere: isElsewhere ? identifier : nil) }
        self.isRemoteControlled = isRemoteControlled
        self.environment = environment
    }

    /// Returns the tracks of an input.
    ///
    /// Files, folders and M3U playlists are expanded as for every player. Other text, such as words to search for, is
    /// passed to the engine of a remote player unchanged, as `ENGINE:INPUT`.
    private static func contents(of input: String, elsewhere engine: String?) throws -> [(name: String, url: URL)] {
        let file = InputExpander.url(for: input)
        if file.isFileURL, engine == nil || FileManager.default.fileExists(atPath: file.path) {
            return try InputExpander.entries(for: [input]).map { ($0.url.shownAddress, $0.url) }
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
    ///   - report: Receives a line for each change.
    /// - Throws: The error of an engine that cannot be created or does not play.
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
        for (index, content) in contents.enumerated() {
            guard !Task.isCancelled else { return }
            do {
                try await controller.loadContent(.url(content.url))
            } catch CoreError.notFound(let message) {
                throw InputError(description: message)
            }
            if index == 0, start > 0 { try await controller.seek(to: .time(start)) }
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
            case .failed: throw CoreError.ioError(state.lastErrorMessage ?? "the engine has failed")
            case .finished: return
            case .idle: if await hasEnded { return }
            case .playing, .paused, .buffering, .preparing: break
            }
            told = state.activity
            await tell(after: &track, report)
        }
    }

    /// Reports each new item of an engine with its own queue.
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

    /// Whether playback has ended and no remote control is about to start it again. Reads the present state, because events
    /// may be out of date.
    private var hasEnded: Bool {
        get async {
            guard !isHeld.withLock({ $0 }) else { return false }
            return await controller.state.activity == .idle
        }
    }
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

    /// Carries out a command; after a stop by a remote control, a remote control can start playback again.
    private func carryOut(_ command: RemoteCommand) async throws {
        switch command {
        case .stop:
            isHeld.withLock { $0 = true }
            try await controller.perform(command)
        case .open:
            isHeld.withLock { $0 = true }
            try await controller.perform(command)
            isHeld.withLock { $0 = false }
        case .play, .togglePlayPause:
            try await controller.perform(command)
            isHeld.withLock { $0 = false }
        default: try await controller.perform(command)
        }
    }
}
