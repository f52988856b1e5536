import Descant
import Foundation

// Music that fades from track to track under rain, begun by a gong and ended by a timer: Meditation SECONDS RAIN GONG TRACK...
/// Plays until the timer ends.
func meditate(_ tracks: [URL], rain: URL, gong: URL, seconds: Double, to output: OutputDestination) async throws {
    let player = try AudioEnvironment.shared.makePlayer(output: output)
    let (states, titles) = (player.stateUpdates, player.trackUpdates)
    let naming = Task { for await track in titles { if let track { print("track: \(track.title)") } } }
    defer { naming.cancel() }

    var configuration = PlayerConfiguration(crossfadeDuration: 1)
    configuration.repeatMode = .playlist
    try await player.loadPlaylist(tracks, configuration: configuration)
    try await player.startOverlay(url: rain, configuration: .ambient, id: "rain")
    try await player.playSoundEffect(SoundEffect(url: gong, volume: 0.5))
    try await player.setSleepTimer(.after(seconds), fadeDuration: 1)

    for await state in states {
        if case .failed(let error) = state { throw error }
        if state == .finished { break }
    }
    await player.stopAll(fadeDuration: 0)
}

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 4, let seconds = Double(arguments[0]) else {
        throw CoreError.invalidArgument("Meditation SECONDS RAIN GONG TRACK...")
    }
    let files = arguments.dropFirst().map { URL(fileURLWithPath: $0) }
    let isSilent = ProcessInfo.processInfo.environment["OUTPUT"] == "null"
    try await meditate(
        Array(files[2...]), rain: files[0], gong: files[1], seconds: seconds, to: isSilent ? .null : .pulse())
    print("finished")
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
