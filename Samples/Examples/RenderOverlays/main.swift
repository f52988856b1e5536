import Descant
import Foundation

let files = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
guard files.count == 5 else {
    FileHandle.standardError.write(Data("usage: RenderOverlays SOUND SOUND SOUND SOUND OUTPUT.wav\n".utf8))
    exit(64)
}
let (music, rain, bell, chime, output) = (files[0], files[1], files[2], files[3], files[4])
let engine = try AudioEnvironment.shared.makeEngine(output: .wav(output, .f32))
// snippet
let player = AudioPlayerService(engine: engine)
try await player.loadPlaylist([music])

// Rain under everything, and three strokes of a bell with two seconds between them.
try await player.startOverlay(url: rain, configuration: .ambient, id: "rain")
try await player.startOverlay(url: bell, configuration: .bell(times: 3, interval: 2), id: "bell")

// The music is 9 dB lower while the bell sounds.
await player.setDucking(Ducking(amount: 9, attack: 0.1, hold: 0.2, release: 0.5), under: [.overlay("bell")])

// A chime that is ready in memory sounds in the next block, over itself if need be.
let effect = SoundEffect(url: chime, volume: 0.5)
try await player.preloadSoundEffects([effect])
_ = try await engine.advance(frames: engine.mixFormat.frames(in: 5), untilIdle: nil)
try await player.playSoundEffect(effect)
_ = try await engine.advance(frames: engine.mixFormat.frames(in: 5), untilIdle: nil)

try await engine.finishOutput()
await engine.shutdown()
