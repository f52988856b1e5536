import Descant
import Foundation

// Plays one file: OneFile FILE. With OUTPUT=null in the environment it needs no sound device.
// snippet
/// Plays a file to its end.
func play(_ file: URL, to output: OutputDestination) async throws {
    let player = try AudioEnvironment.shared.makePlayer(output: output)
    let states = player.stateUpdates
    try await player.loadPlaylist([file])
    for await state in states {
        if state == .finished { return }
        if case .failed(let error) = state { throw error }
    }
}

do {
    guard let path = CommandLine.arguments.dropFirst().first else {
        throw CoreError.invalidArgument("name a file to play")
    }
    let isSilent = ProcessInfo.processInfo.environment["OUTPUT"] == "null"
    try await play(URL(fileURLWithPath: path), to: isSilent ? .null : .pulse())
    print("finished")
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
