import Descant
import Foundation

let files = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
guard files.count > 1 else {
    FileHandle.standardError.write(Data("usage: RenderLoudness SOUND... OUTPUT.wav\n".utf8))
    exit(64)
}
let engine = try AudioEnvironment.shared.makeEngine(output: .wav(files[files.count - 1], .f32))
// snippet
let player = AudioPlayerService(engine: engine)

// Albums at the same loudness; files without tags a little lower; no tagged peak above full scale.
await player.setReplayGain(ReplayGainSettings(mode: .album, preamp: 3, untaggedGain: -6))

// More bass, and a lower preamp to make room for it.
await player.setEqualizer(EqualizerSettings(isEnabled: true, preamp: -4, bandGains: [4, 3, 1]))

// For controls that set one value at a time, from any thread.
let equalizer = MixEqualizer(engine: engine, settings: await player.equalizer)
equalizer.bandGains = [6]
await equalizer.arrive()

try await player.loadPlaylist(files.dropLast(), configuration: PlayerConfiguration(crossfadeDuration: 0))
_ = try await engine.advance(frames: engine.mixFormat.frames(in: 3600), untilIdle: engine.mainLayer)
try await engine.finishOutput()
await engine.shutdown()
