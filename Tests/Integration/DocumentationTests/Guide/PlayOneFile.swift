import Descant
import Foundation

/// Plays a file from its first to its last frame.
func playOneFile(_ url: URL, to destination: OutputDestination) async throws -> Double {
    let service = AudioEnvironment.shared.makePlaybackService(output: destination)
    try service.load(url: url)
    let duration = service.duration()
    try service.play()
    for await state in service.stateUpdates {
        if case .error(let error) = state { throw error }
        if state == .stopped { break }
    }
    return duration
}
