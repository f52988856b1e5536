import Descant
import Foundation

// snippet
/// Plays an album, then changes the playlist in several ways.
func changeTheMusic(_ player: AudioPlayerService, album: [URL], extra: URL) async throws {
    try await player.loadPlaylist(album, configuration: PlayerConfiguration(crossfadeDuration: 4), startingAt: 1)
    await player.addTracksToPlaylist([extra])
    try await player.insertTracksInPlaylist([extra], at: 0)  // Playback continues; its index is 2 now.
    try await player.moveTrackInPlaylist(from: 0, to: 3)
    try await player.removeTrackFromPlaylist(at: 3)

    if let next = await player.peekNextTrack() { print("next: \(next.lastPathComponent)") }
    try await player.nextTrack()
    try await player.swapPlaylist(tracks: [extra] + album, crossfadeDuration: 2)
}
