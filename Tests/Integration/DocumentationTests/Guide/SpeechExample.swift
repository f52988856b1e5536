import Descant
import Foundation

// snippet
/// Reads a text aloud over the music, which is lowered while the voice sounds.
func readAloud(_ text: String, over player: AudioPlayerService, on mixer: any MixingEngine) async throws {
    let voice = try await AudioEnvironment.shared.makeSpeech("espeak", on: mixer)
    // Calls, media keys and `pauseAll()` pause the voice with the music.
    await player.include(voice)
    await player.setDucking(Ducking(), of: .main, under: [.layer(await voice.layer)])
    // A stream subscribes when it is asked for, so that the first word is not missed.
    let events = voice.events
    try await voice.loadContent(.text(text, language: "en"))
    try await voice.play()
    let ranges = TextRanges(text)
    for await event in events {
        switch event.kind {
        case .word(let range, _): print(ranges[utf8: range])
        case .warning(let warning): print("not spoken: \(warning.message)")
        case .finished: return await voice.shutdown()
        case .failed(let error):
            await voice.shutdown()
            throw error
        default: break
        }
    }
}
