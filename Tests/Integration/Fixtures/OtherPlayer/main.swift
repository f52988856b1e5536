import Descant

import struct Foundation.URL

// Another player of the desktop: plays a file to a sound server until it is killed, and obeys the media keys of a bus. The file is
// a track, or the only sound beside no track at all.
//
//   OtherPlayer SERVER BUS FILE music|rain

let arguments = CommandLine.arguments
guard arguments.count == 5 else { fatalError("usage: OtherPlayer SERVER BUS FILE music|rain") }
let environment = AudioEnvironment(
    plugins: PluginRegistry(searchPath: []), sessionPolicy: AudioSessionPolicy(pausesOtherPlayers: false))
// The stream ends soon after a pause, so the server shows whether the player is paused.
let engine = try environment.makeEngine(output: .pulse(latency: 0.1, server: arguments[1]), idleRelease: 0.1)
let player = AudioPlayerService(engine: engine, session: environment.session(for: .pulse(server: arguments[1])))
let remote = MPRISRemote(
    identity: RemoteIdentity(name: "other_player", displayName: "Other player"), busAddress: arguments[2])
await player.connectRemoteControl(remote)
let file = URL(fileURLWithPath: arguments[3])
// A busy server may take longer to answer than a player waits.
for attempt in 1...3 {
    do {
        if arguments[4] == "rain" {
            try await player.startOverlay(url: file, configuration: OverlayConfiguration(fadesEnds: false))
        } else {
            try await player.startPlaying(url: file, configuration: PlayerConfiguration(crossfadeDuration: 0))
        }
        break
    } catch { if attempt == 3 { throw error } }
}
for await state in player.stateUpdates where state == .finished { break }
