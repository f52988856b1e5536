import Descant
import Foundation

// Reads a text file aloud and prints each word as it is heard: SpeechReader FILE [SYNTHESIZER]
let arguments = CommandLine.arguments
guard arguments.count > 1 else {
    FileHandle.standardError.write(Data("usage: SpeechReader TEXT\n".utf8))
    exit(64)
}
let name = arguments.count > 2 ? arguments[2] : "espeak"
// snippet
let text = try String(contentsOfFile: arguments[1], encoding: .utf8)
let voice = try await AudioEnvironment.shared.makeSpeech(name)
// A stream subscribes when it is asked for, so that the first word is not missed.
let events = voice.events
try await voice.loadContent(.text(text, language: "en"))
try await voice.play()
let ranges = TextRanges(text)
reading: for await event in events {
    switch event.kind {
    case .word(let range, _): print(ranges[utf8: range])
    case .warning(let warning): print("not spoken: \(warning.message)")
    case .failed(let error): throw error
    case .finished: break reading
    default: break
    }
}
await voice.shutdown()
