import Descant
import Foundation

let files = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
guard files.count == 2 else {
    FileHandle.standardError.write(Data("usage: RenderEffect SOUND OUTPUT.wav\n".utf8))
    exit(64)
}
let engine = try AudioEnvironment.shared.makeEngine(output: .wav(files[1], .f32))
// snippet
let player = AudioPlayerService(engine: engine)

// An effect of a bundle, on everything that sounds.
let reverb = try AudioEnvironment.shared.plugins.makeEffect("reverb")
var insert = EffectInsert("reverb", reverb, values: ["mix": 0.4])
try await player.setEffects([insert])

// The same insert with other values continues the same reverberation.
insert.values["size"] = 0.9
try await player.setEffects([insert])

try await player.loadPlaylist([files[0]], configuration: PlayerConfiguration(crossfadeDuration: 0))
_ = try await engine.advance(frames: engine.mixFormat.frames(in: 3600), untilIdle: engine.mainLayer)

// What rings behind the last sound.
let tail = await (engine as? any EffectEngine)?.effectTail ?? 0
_ = try await engine.advance(frames: engine.mixFormat.frames(in: tail), untilIdle: nil)
try await engine.finishOutput()
await engine.shutdown()
