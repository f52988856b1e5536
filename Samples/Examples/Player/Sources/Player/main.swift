import Descant
import Foundation

let player = AudioPlayerService()
let tracks = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
try await player.loadPlaylist(tracks, configuration: PlayerConfiguration(crossfadeDuration: 4))
for await state in player.stateUpdates {
    print(state)
    if state == .finished { break }
    if case .failed = state { break }
}
