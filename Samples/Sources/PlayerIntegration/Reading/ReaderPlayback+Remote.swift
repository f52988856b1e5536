internal import Descant
internal import PlayerApp
internal import Synchronization

/// The desktop's media controls: media keys go from sentence to sentence, the player panel shows the sentence and the chapter.
extension ReaderPlayback {
    func makeBridge() -> RemoteControlBridge {
        // One book is read at a time, so that nothing can be opened.
        let control =
            request.remote
            ?? environment.makeRemoteControl(
                RemoteIdentity(name: "descant", displayName: "Descant", uriSchemes: [], mimeTypes: []))
        let feed = feed
        return RemoteControlBridge(
            player: remote, remote: control,
            options: RemoteControlOptions(
                allowed: RemoteAbilities.all.subtracting([.open]), quit: { feed.yield(.finished) },
                shouldPerform: { [weak self] command in
                    guard let self else { return false }
                    switch command {
                    case .stop:
                        try await self.stopHere()
                        return false
                    case .setVolume(let volume):
                        try await self.applyVolume(min(1, max(0, volume)))
                        return false
                    case .open: throw CoreError.unsupported("one book is read at a time; start descant read with it")
                    default: return true
                    }
                }))
    }
}

/// What remote controls see and command of a reader: the controller, with the volume and what happens at the end.
final class ReaderRemote: RemoteControllable {
    private let controller: MediaPlaybackController
    private let settings: Mutex<(volume: Double, repeats: NowPlaying.Repeat)>

    init(_ controller: MediaPlaybackController, volume: Double) {
        self.controller = controller
        settings = Mutex((volume, .off))
    }

    /// What happens at the end of the text.
    var repeats: NowPlaying.Repeat { settings.withLock { $0.repeats } }

    /// The volume that was set last, 0…1.
    var volume: Double { settings.withLock { $0.volume } }

    func note(volume: Double) { settings.withLock { $0.volume = volume } }

    var remoteChanges: EventStream<RemoteChange> { controller.remoteChanges }

    var remotePosition: Double { get async { await controller.remotePosition } }

    func nowPlaying() async -> NowPlaying {
        var shown = await controller.nowPlaying()
        (shown.volume, shown.repeats) = settings.withLock { ($0.volume, $0.repeats) }
        shown.abilities.insert(.adjust)
        return shown
    }

    func perform(_ command: RemoteCommand) async throws {
        switch command {
        case .setRepeat(let repeats): settings.withLock { $0.repeats = repeats }
        case .setShuffle: throw CoreError.unsupported("a text is read in its order")
        default: try await controller.perform(command)
        }
    }
}
