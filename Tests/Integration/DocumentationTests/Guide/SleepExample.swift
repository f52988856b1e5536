import Descant
import Foundation

// snippet
/// Stops after half an hour with a long fade, or at the end of the present track.
func fallAsleep(_ player: AudioPlayerService, atEndOfTrack: Bool) async throws {
    if atEndOfTrack {
        try await player.setSleepTimer(.endOfTrack)
    } else {
        try await player.setSleepTimer(.after(30 * 60), fadeDuration: 10)
    }
    if let rest = await player.sleepTimerRemaining { print("\(Int(rest)) s until silence") }
}
