import Descant
import Foundation

// snippet
/// All ways to stop playback.
func silence(_ player: AudioPlayerService, patiently: Bool) async throws {
    try await player.pause()  // resume() continues at the same frame.
    try await player.resume()
    if patiently {
        await player.stop(fadeDuration: 5)  // Never throws; returns when the last sample was heard.
    } else {
        await player.stopImmediatelyWithoutFade()
    }
    await player.reset()  // Also removes playlist, configuration and overlay.
}
