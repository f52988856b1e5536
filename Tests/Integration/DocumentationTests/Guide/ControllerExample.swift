import Descant
import Foundation

// snippet
/// A controller that stores the selected engine, and creates only that one.
func makeController(in environment: AudioEnvironment, output: OutputDestination) async -> MediaPlaybackController {
    let controller = environment.makeController(
        output: output, selection: FileEngineSelection(application: "reader"), policy: .selectedAtLaunch)
    await controller.launch()
    return controller
}

/// Plays a file for a while, and continues with another engine at the same position.
func playAndSwitch(_ controller: MediaPlaybackController, file: URL, other: String) async throws {
    try await controller.loadContent(.url(file))
    try await controller.play()
    try await controller.seek(to: .time(60))
    if controller.canUseEngine(other) {
        do {
            try await controller.selectEngine(other)
        } catch {
            print("\(other) does not play this, \(await controller.state.engine ?? "nobody") goes on: \(error)")
        }
    }
    await controller.stop()
}
