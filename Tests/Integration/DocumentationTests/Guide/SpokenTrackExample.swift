import Descant
import Foundation

// snippet
/// Announces two tracks: each text is an item of the playlist, and fades as the others do.
func playAnnounced(_ files: [URL], on player: AudioPlayerService) async throws {
    let synthesizer = try AudioEnvironment.shared.plugins.makeSpeechSynthesizer("flite")
    let announcements = SpeechTracks(identifier: "flite", synthesizer: synthesizer)
    await player.setTrackSources(announcements)
    let playlist = try files.flatMap { file in
        [try announcements.add("Next: \(file.deletingPathExtension().lastPathComponent)."), file]
    }
    try await player.loadPlaylist(playlist, configuration: PlayerConfiguration(crossfadeDuration: 2))
}
