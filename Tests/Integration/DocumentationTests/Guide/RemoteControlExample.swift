import Descant

// snippet
/// Lets media keys, the desktop's player panel and `playerctl --player tea_timer` reach a player.
func connectMediaKeys(to player: AudioPlayerService, quit: @escaping @Sendable () async -> Void) async {
    let remote = AudioEnvironment.shared.makeRemoteControl(
        RemoteIdentity(name: "tea_timer", displayName: "Tea timer", desktopEntry: "org.example.TeaTimer"))
    await player.connectRemoteControl(
        remote,
        options: RemoteControlOptions(
            allowed: RemoteAbilities.all.subtracting(.editTracks), quit: quit,
            shouldPerform: { command in
                // `false` when the host has carried it out itself; an error is sent to the desktop.
                if case .setShuffle = command { throw CoreError.unsupported("the order matters here") }
                return true
            }))
}
