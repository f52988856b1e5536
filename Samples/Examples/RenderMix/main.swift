import Descant
import Foundation

// Everything but the last argument is played into the last one, a WAVE file, as fast as the machine can.
let files = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
let engine = try AudioEnvironment.shared.makeEngine(output: .wav(files[files.count - 1], .f32))
let player = AudioPlayerService(engine: engine)
try await player.loadPlaylist(files.dropLast(), configuration: PlayerConfiguration(crossfadeDuration: 4))

let frames = try await engine.advance(frames: engine.mixFormat.frames(in: 3600), untilIdle: engine.mainLayer)
try await engine.finishOutput()
await engine.shutdown()
print("rendered \(engine.mixFormat.seconds(of: frames)) s")
