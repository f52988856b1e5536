import Descant
import Foundation

// snippet
/// Half an hour of music, then a long fade; or the end of this track, should that be preferred.
func fallAsleep(_ player: AudioPlayerService, atEndOfTrack: Bool) async throws {
    if atEndOfTrack {
        try await player.setSleepTimer(.endOfTrack)
    } else {
        try await player.setSleepTimer(.after(30 * 60), fadeDuration: 10)
    }
    if let rest = await player.sleepTimerRemaining { print("\(Int(rest)) s until silence") }
}
