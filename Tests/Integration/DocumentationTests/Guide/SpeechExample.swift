import Descant
import Foundation

// snippet
/// Reads a text aloud over the music, which is lowered while the voice sounds.
func readAloud(_ text: String, over player: AudioPlayerService, on mixer: any MixingEngine) async throws {
    let synthesizer = try AudioEnvironment.shared.plugins.makeSpeechSynthesizer("espeak")
    let voice = SpeechEngine(identifier: "espeak", synthesizer: synthesizer, mixer: mixer)
    await player.setDucking(Ducking(), of: .main, under: [.layer(await voice.layer)])
    // A stream of numbered events subscribes at once, so that the first word is not missed.
    let events = voice.events.numbered
    try await voice.loadContent(.text(text, language: "en"))
    try await voice.play()
    let bytes = Array(text.utf8)
    for await event in events {
        switch event.event.kind {
        case .word(let range, _): print(String(decoding: bytes[range], as: UTF8.self))
        case .warning(let warning): print("not spoken: \(warning.message)")
        case .finished: return await voice.shutdown()
        case .sentence, .utteranceEnded: break
        }
    }
}
