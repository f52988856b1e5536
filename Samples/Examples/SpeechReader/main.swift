import Descant
import Foundation

// Reads a text file aloud and prints each word as it is heard: SpeechReader FILE [SYNTHESIZER]
let arguments = CommandLine.arguments
guard arguments.count > 1 else { fatalError("name a text file") }
let name = arguments.count > 2 ? arguments[2] : "espeak"
// snippet
let text = try String(contentsOfFile: arguments[1], encoding: .utf8)
let environment = AudioEnvironment.shared
let voice = SpeechEngine(
    identifier: name, synthesizer: try environment.plugins.makeSpeechSynthesizer(name),
    mixer: try environment.makeEngine())
// A stream of numbered events subscribes at once, so that the first word is not missed.
let events = voice.events.numbered
try await voice.loadContent(.text(text, language: "en"))
try await voice.play()
reading: for await event in events {
    switch event.event.kind {
    case .word(let range, _): print(String(decoding: Array(text.utf8)[range], as: UTF8.self))
    case .warning(let warning): print("not spoken: \(warning.message)")
    case .finished: break reading
    case .sentence, .utteranceEnded: break
    }
}
await voice.shutdown()
