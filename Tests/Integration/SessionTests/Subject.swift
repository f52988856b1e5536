import Descant
import DescantTesting
import Foundation

/// The player, the controller or the one-file service in a session, with the same commands.
enum Subject: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case player, overlay, controller, file

        /// Those on the mixer, which keeps its stream for a while and waits for a server that is lost.
        static let mixing: [Kind] = [.player, .overlay, .controller]
    }

    case player(AudioPlayerService)
    /// A player with nothing but an overlay.
    case overlay(AudioPlayerService)
    case controller(MediaPlaybackController)
    /// The service tells the session of its commands behind them, so the subject waits for the session.
    case file(DefaultPlaybackService, AudioSessionCoordinator)

    /// The common states.
    enum State: Sendable, Equatable { case idle, playing, paused, failed }

    init(
        _ kind: Kind, engine: any MixingEngine, server: String, session: AudioSessionCoordinator, logger: any LoggerPort
    ) {
        switch kind {
        case .file:
            let environment = AudioEnvironment(
                plugins: PluginRegistry(searchPath: []), logger: logger, session: session)
            self = .file(
                environment.makePlaybackService(output: .pulse(latency: 0.1, server: server)), session)
        case .player: self = .player(AudioPlayerService(engine: engine, logger: logger, session: session))
        case .overlay: self = .overlay(AudioPlayerService(engine: engine, logger: logger, session: session))
        case .controller:
            self = .controller(
                MediaPlaybackController(catalog: ScriptedEngines([engine]), session: session, logger: logger))
        }
    }

    // MARK: Commands

    /// Opens a file without a connection to the sound server.
    func load(_ file: URL) async throws {
        switch self {
        // The player opens files when it plays.
        case .player, .overlay: break
        case .file(let service, _): try service.load(url: file)
        case .controller(let controller):
            await controller.launch()
            try await controller.loadContent(.url(file))
            try await controller.preload()
        }
    }

    func play(_ file: URL) async throws {
        switch self {
        case .player(let player):
            let configuration = PlayerConfiguration(crossfadeDuration: 0, stopFadeDuration: 0)
            try await player.startPlaying(url: file, configuration: configuration)
        case .overlay(let player):
            try await player.startOverlay(url: file, configuration: OverlayConfiguration(fadesEnds: false))
        case .controller(let controller):
            if await controller.state.content == nil { try await load(file) }
            try await controller.play()
        case .file(let service, let session):
            if service.state == .stopped { try await load(file) }
            try service.play()
            for await status in session.updates where status.state != .inactive { break }
        }
    }

    func pause() async throws {
        switch self {
        case .player(let player): try await player.pause()
        case .overlay(let player): await player.pauseOverlay()
        case .controller(let controller): await controller.pause()
        case .file(let service, _): service.pause()
        }
    }

    func resume() async throws {
        switch self {
        case .player(let player): try await player.resume()
        case .overlay(let player): await player.resumeOverlay()
        case .controller(let controller): try await controller.play()
        case .file(let service, _): try service.play()
        }
    }

    func stop() async {
        switch self {
        case .player(let player): await player.stop(fadeDuration: 0)
        case .overlay(let player): await player.stopAll()
        case .controller(let controller): await controller.stop()
        case .file(let service, let session):
            service.stop()
            for await status in session.updates where status.state == .inactive { break }
            // Its log is complete when it answers.
            _ = await session.state
        }
    }

    // MARK: State

    var state: State {
        get async {
            switch self {
            case .player(let player): Self.translate(await player.state)
            case .overlay(let player): Self.translate(await player.getOverlayState())
            case .controller(let controller): Self.translate(await controller.state.activity)
            case .file(let service, _): Self.translate(service.state)
            }
        }
    }

    /// Waits until it is in a state.
    func wait(for wanted: State) async throws {
        switch self {
        case .player(let player):
            for await state in player.stateUpdates where Self.translate(state) == wanted { return }
        case .overlay(let player):
            for await state in player.overlayUpdates() where Self.translate(state) == wanted { return }
        case .controller(let controller):
            for await state in controller.updates where Self.translate(state.activity) == wanted { return }
        case .file(let service, _):
            for await state in service.stateUpdates where Self.translate(state) == wanted { return }
        }
        throw CoreError.invalidState("it ended before it was \(wanted)")
    }

    private static func translate(_ state: PlaybackState) -> State {
        switch state {
        case .stopped: .idle
        case .playing, .buffering: .playing
        case .paused: .paused
        case .error: .failed
        }
    }

    private static func translate(_ state: PlayerState) -> State {
        switch state {
        case .idle, .finished: .idle
        case .preparing, .playing, .fadingOut: .playing
        case .paused: .paused
        case .failed: .failed
        }
    }

    private static func translate(_ state: OverlayState) -> State {
        switch state {
        case .idle: .idle
        case .playing, .crossfading, .stopping: .playing
        case .paused: .paused
        }
    }

    private static func translate(_ activity: MediaPlaybackState.Activity) -> State {
        switch activity {
        case .idle, .finished: .idle
        case .preparing, .playing, .buffering: .playing
        case .paused: .paused
        case .failed: .failed
        }
    }
}
