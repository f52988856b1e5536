internal import Descant
internal import PlayerApp

/// The desktop's media controls: media keys go from sentence to sentence, the player panel shows the sentence and the chapter.
extension ReaderPlayback {
    func makeBridge() -> RemoteControlBridge {
        let remote = environment.makeRemoteControl(RemoteIdentity(name: "descant", displayName: "Descant"))
        let feed = feed
        return RemoteControlBridge(
            player: controller, remote: remote,
            options: RemoteControlOptions(
                allowed: RemoteAbilities.all.subtracting([.open]), quit: { feed.yield(.finished) },
                shouldPerform: { [weak self] command in
                    guard let self else { return false }
                    switch command {
                    case .stop:
                        try await self.stopHere()
                        return false
                    case .open: throw CoreError.unsupported("one book is read at a time; start descant read with it")
                    default: return true
                    }
                }))
    }
}
