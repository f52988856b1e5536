import Descant
import Foundation

// snippet
/// Every way to silence.
func silence(_ player: AudioPlayerService, patiently: Bool) async throws {
    try await player.pause()  // Freezes; resume() goes on at the very frame.
    try await player.resume()
    if patiently {
        await player.stop(fadeDuration: 5)  // Never throws; the state is fadingOut, then finished.
    } else {
        await player.stopImmediatelyWithoutFade()
    }
    await player.reset()  // Forgets playlist, configuration and overlay too.
}
