import Descant
import Foundation

// snippet
/// Plays in a random order that can be reproduced.
func shuffle(_ player: AudioPlayerService) async -> UInt64? {
    let seed = await player.setShuffle(true)  // Pass a seed to get an earlier order again.
    await player.setRepeatMode(.playlist)
    return seed
}
