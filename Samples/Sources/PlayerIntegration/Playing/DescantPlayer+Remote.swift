internal import Descant
internal import Foundation
internal import PlayerApp
internal import Synchronization

/// The desktop's media controls: media keys, the player panel, `playerctl --player descant`.
extension DescantPlayer {
    func connectRemoteControl() async {
        let remote = environment.makeRemoteControl(RemoteIdentity(name: "descant", displayName: "Descant"))
        let feed = feed
        await service.connectRemoteControl(
            remote,
            options: RemoteControlOptions(
                quit: { feed.yield(.finished) },
                shouldPerform: { [weak self] command in
                    self?.note(command)
                    return true
                }))
    }

    /// Updates the app's own state after a remote control's command.
    private func note(_ command: RemoteCommand) {
        // After a stop by a remote control, a remote control can start playback again.
        waits.withLock { $0 = command == .stop }
        if case .setVolume(let volume) = command { feed.yield(.volume(min(1, max(0, volume)))) }
    }

    /// Updates the views after a remote control has added or removed tracks.
    func readPlaylist() async {
        let urls = await service.getCurrentPlaylist()
        let current = await service.currentTrack == nil ? nil : await service.getCurrentTrackIndex()
        let changed: [PlaylistEntry]? = entries.withLock { entries in
            guard entries.map(\.url) != urls else { return nil }
            let known = Dictionary(entries.map { ($0.url, $0) }) { first, _ in first }
            entries = urls.map { known[$0] ?? PlaylistEntry(url: $0) }
            return entries
        }
        if let changed { feed.yield(.playlist(changed, current: current)) }
    }
}
