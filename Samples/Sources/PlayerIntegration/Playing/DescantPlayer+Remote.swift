internal import Descant
internal import Foundation
internal import PlayerApp
internal import Synchronization

/// The desktop's media controls: media keys, the player panel, `playerctl --player descant`.
extension DescantPlayer {
    func connectRemoteControl() async {
        let remote = environment.makeRemoteControl(
            RemoteIdentity(name: "descant", displayName: "Descant", uriSchemes: ["file", "http", "https"]))
        let feed = feed
        await service.connectRemoteControl(
            remote,
            options: RemoteControlOptions(
                quit: { feed.yield(.finished) },
                shouldPerform: { [weak self] command in
                    guard let self else { return false }
                    if case .open(let url) = command { return try await open(url) }
                    noted(command)
                    return true
                }))
    }

    /// Opens what the command line takes, too: a folder, a playlist, a file.
    ///
    /// - Returns: Whether the service is to open the address itself, because it is a single track.
    private func open(_ url: URL) async throws -> Bool {
        guard url.isFileURL else { return true }
        let file = url.standardizedFileURL
        let entries = try InputExpander.entries(for: file)
        if entries.map(\.url) == [file] { return true }
        let index = await service.isPlaylistEmpty() ? 0 : await service.getCurrentTrackIndex() + 1
        try await insert(entries, at: index)
        try await service.jumpToTrack(at: index)
        return false
    }

    /// Takes note of what the app itself has to know of a person's command.
    ///
    /// - Returns: The command.
    @discardableResult
    func noted(_ command: RemoteCommand) -> RemoteCommand {
        switch command {
        case .stop: waits.withLock { $0 = true }
        case .pause, .togglePlayPause: isPausedByPerson.withLock { $0 = true }
        case .setVolume(let volume):
            recorder?.note(volume: min(1, max(0, volume)))
            feed.yield(.volume(min(1, max(0, volume))))
        case .setRate(let rate): changeModes { $0.rate = min(3, max(0.5, rate)) }
        case .setShuffle(let isOn): changeModes { $0.isShuffled = isOn }
        case .setRepeat(let mode): changeModes { $0.repeats = RepeatSetting(mode) }
        default: break
        }
        return command
    }

    func changeModes(_ change: (inout PlaybackModes) -> Void) { feed.yield(.modes(self.change(change))) }
}
