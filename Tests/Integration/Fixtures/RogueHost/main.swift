import Descant
import Foundation

// Plays files with the bundles of a folder in a separate process, because a bundle may abort it.
//
//   RogueHost FOLDER SEEK FILES...    prints a line for each event and error

/// Unbuffered, so that the lines before an abort are not lost.
@Sendable func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let arguments = CommandLine.arguments
var limits = CallLimits()
// Long enough for a busy machine, short enough for a test that waits for it.
(limits.load, limits.make, limits.score, limits.open) = (4, 4, 4, 4)
(limits.read, limits.seek, limits.close) = (4, 4, 4)
limits.unannouncedDuration = 3
let registry = PluginRegistry(searchPath: [URL(fileURLWithPath: arguments[1])], limits: limits)
let environment = AudioEnvironment(plugins: registry)
let player = AudioPlayerService(
    engine: try environment.makeEngine(output: .null), clock: environment.clock, logger: environment.logger)
let events = player.events
let seek = Double(arguments[2]) ?? 0

let finished = Task {
    for await event in events {
        switch event.kind {
        case .trackStarted(let url, _, _):
            say("started \(url.lastPathComponent)")
            if seek > 0, url.pathExtension == "rogue" { try? await player.seekWithFade(to: seek, fadeDuration: 0) }
        case .trackEnded(let url): say("ended \(url.lastPathComponent)")
        case .trackFailed(let url, let error): say("failed \(url.lastPathComponent): \(error)")
        case .error(let error): say("error: \(error)")
        case .mix(.pluginOverdue(let plugin, let operation, _)): say("overdue \(plugin) \(operation)")
        case .playlistEnded: return
        default: break
        }
    }
}
do {
    try await player.loadPlaylist(
        arguments.dropFirst(3).map { URL(fileURLWithPath: $0) },
        configuration: PlayerConfiguration(crossfadeDuration: 0))
} catch {
    say("nothing played: \(error)")
}
await finished.value
for bundle in registry.unavailable { say("unavailable \(bundle.identifier ?? "?"): \(bundle.error)") }
say("over")
// A thread that hangs in the dynamic linker would keep `exit` from coming back.
_exit(0)
