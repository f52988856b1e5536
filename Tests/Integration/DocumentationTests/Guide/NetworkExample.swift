import Descant
import Foundation

// snippet
/// Plays a radio station and a file from a server that requires a login.
func listenOnline(_ environment: AudioEnvironment, token: String) async throws -> AudioPlayerService {
    guard let station = URL(string: "https://radio.example/live.mp3"),
        let library = URL(string: "https://music.example/private/"),
        let archive = URL(string: "https://archive.example/")
    else { throw CoreError.invalidArgument("an address is wrong") }
    try environment.network.setHeaders(["Authorization": "Bearer \(token)"], for: library)
    try environment.network.setCredentials(user: "listener", password: token, for: archive)
    environment.network.reconnectLimit = 30

    let player = try environment.makePlayer()
    try await player.loadPlaylist([station, library.appendingPathComponent("suite.flac")])
    return player
}

/// Prints buffering and failed tracks.
func watchNetwork(_ player: AudioPlayerService) async {
    for await event in player.events {
        switch event.kind {
        case .buffering(let percent): print("buffering: \(percent) %")
        case .trackFailed(let url, let error): print("\(AudioSource.url(url).name): \(error)")
        default: break
        }
    }
}
