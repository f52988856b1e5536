import Descant
import Foundation

// snippet
/// Crossfades between songs, gapless joins within an album, and shortened running crossfades.
func playLikeARadio(_ player: AudioPlayerService, _ songs: [URL]) async throws {
    var configuration = PlayerConfiguration(crossfadeDuration: 6, fadeCurve: .equalPower)
    configuration.gaplessAlbums = true
    configuration.transitionInterruption = .fastForward
    configuration.fadeInAtStart = true
    try await player.loadPlaylist(songs, configuration: configuration)
    try await player.seekWithFade(to: 60, fadeDuration: 0.5)
    try await player.nextTrack()
    try await player.nextTrack()  // Shortens the first crossfade and follows at its end.
}
