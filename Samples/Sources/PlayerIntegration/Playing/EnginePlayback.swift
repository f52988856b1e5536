public import Descant
public import Foundation
internal import Synchronization

/// Plays content, one after the other, on an engine of the person's choice.
public final class EnginePlayback: Sendable {
    let controller: MediaPlaybackController
    let environment: AudioEnvironment
    /// Whether a remote control has stopped the content, or is about to open another one: the next one has to wait then.
    let isHeld = Mutex(false)
    private let engine: String
    private let contents: [URL]
    private let isRemoteControlled: Bool

    /// Finds the engine; it is made by ``run(start:report:)``.
    ///
    /// - Parameters:
    ///   - identifier: The engine: `gstreamer`, or as `descant plugins` lists it.
    ///   - inputs: Files, URLs, or whatever else the engine knows, such as `library://track/7`.
    ///   - output: Where engines play that make sound themselves.
    ///   - isRemoteControlled: Whether the desktop's media controls reach it.
    ///   - environment: The library's environment.
    /// - Throws: ``InputError`` when there is no such engine.
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
        contents = inputs.map { input in
            let url = URL(string: input)
            return url?.scheme == nil ? InputExpander.url(for: input) : url ?? InputExpander.url(for: input)
        }
        self.isRemoteControlled = isRemoteControlled
        self.environment = environment
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
        for (index, url) in contents.enumerated() {
            guard !Task.isCancelled else { return }
            try await controller.loadContent(.url(url))
            if index == 0, start > 0 { try await controller.seek(to: .time(start)) }
            try await controller.play()
            report("\(engine): \(url.shownAddress)")
            try await wait(report)
        }
    }

    /// Waits until the content has ended, for whatever reason.
    private func wait(_ report: @Sendable (String) -> Void) async throws {
        var told = MediaPlaybackState.Activity.playing
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
        }
    }

    /// Whether nothing is played any more, nor will be by a remote control. What was told may be over already.
    private var hasEnded: Bool {
        get async {
            guard !isHeld.withLock({ $0 }) else { return false }
            return await controller.state.activity == .idle
        }
    }
}
