internal import Descant
internal import DesktopUI
internal import Foundation
internal import PlayerApp
internal import PlayerIntegration

/// The player behind the window, with the queue and the settings of the last time.
@MainActor
final class DesktopPlayer {
    /// Read from the beginning on, while GTK starts.
    private let kept = Task.detached { await Kept.read(ProcessInfo.processInfo.environment) }
    private var player: DescantPlayer?
    private var model: PlayerWindowModel?

    /// Makes the player with the queue of the last time.
    ///
    /// - Parameter app: The app whose window remote controls bring to the front.
    func start(in app: DesktopApp) async throws -> PlayerWindowModel {
        let kept = await kept.value
        var request = Self.request(kept)
        request.raise = { [weak app] in await app?.raise() }
        request.openBook = { [weak self] in await self?.model?.open([$0]) }
        let player = try DescantPlayer(request, environment: .shared)
        self.player = player
        let state = AppState(
            player: player, entries: request.entries, volume: Double(request.options.configuration.volumeFloat),
            modes: request.options.modes, staysOpen: true, notices: kept.problems,
            library: SiblingProgram.find("library").map { LibraryProgram($0) })
        let books = BookShelf(
            environment: .shared, output: request.output,
            positions: ReadingPositions(environment: ProcessInfo.processInfo.environment),
            player: { [weak player] in player })
        let model = PlayerWindowModel(state, preferences: kept.preferences, storage: kept.files, books: books)
        self.model = model
        return model
    }

    /// Prepares the player, whose queue then waits to be played.
    func prepare() async throws { try await player?.prepare() }

    /// Keeps the place in the book, the playlist that is being written and the preferences, fades out and releases the device.
    func stop() async {
        // A book that is being opened may keep the reader waiting, and a slow disk the playlist; the music does not wait.
        let (model, reader, state) = (self.model, self.model?.reader, self.model?.state)
        async let closing: Void? = reader?.close()
        async let writing: Void? = state?.finishWriting()
        async let saving: Void? = model?.finishSaving()
        await player?.stop(fade: 0.3)
        _ = await (closing, writing, saving)
    }

    private static func request(_ kept: Kept) -> PlayRequest {
        var configuration = PlayerConfiguration(crossfadeDuration: kept.preferences.crossfade)
        configuration.fadeCurve = kept.preferences.crossfadeCurve
        configuration.transitionInterruption = .fastForward
        configuration.volume = Int(((kept.playback?.volume ?? kept.preferences.volume) * 100).rounded())
        configuration.repeatMode = kept.playback?.repeatMode ?? .off
        var options = PlayOptions(configuration: configuration)
        options.equalizer = kept.preferences.equalizer
        options.replayGain.mode = ReplayGainMode(kept.preferences.loudness)
        options.rate = kept.playback?.modes.rate ?? 1
        if kept.playback?.modes.isShuffled == true { options.shuffleSeed = .random(in: .min ... .max) }
        options.shuffledOrder = kept.playback?.order
        var request = PlayRequest(
            entries: kept.playback?.entries ?? [], output: .pulse(), options: options,
            start: kept.playback?.position ?? 0)
        request.startIndex = kept.playback?.index
        request.showsLevels = false
        request.store = kept.store
        request.desktopEntry = DesktopApp.identifier
        return request
    }
}

/// What was kept from the last time.
struct Kept: Sendable {
    let store: PlayerStateStore
    let files: PlayerFiles
    let playback: SavedPlayback?
    let preferences: ViewPreferences
    /// Files that cannot be used.
    let problems: [String]

    /// Reads the files. It runs beside the main actor, which does not wait for a slow disk.
    @concurrent static func read(_ environment: [String: String]) async -> Kept {
        let store = PlayerStateStore(environment: environment, app: "desktop")
        let files = PlayerFiles(preferencesFile: store.folder.appendingPathComponent("preferences.json"))
        let (playback, problem) = store.load()
        let (preferences, damage) = files.readPreferences()
        return Kept(
            store: store, files: files, playback: playback, preferences: preferences,
            problems: [problem, damage].compactMap { $0 })
    }
}
