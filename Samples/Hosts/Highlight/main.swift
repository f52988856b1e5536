import Descant
import Foundation

// Reads a text file aloud and marks each word as it is heard: Highlight FILE ENGINE
// snippet
/// Reads a text aloud with the first voice of an engine.
func readAloud(_ text: String, engine: String, to output: OutputDestination) async throws {
    let controller = AudioEnvironment.shared.makeController(
        output: output, preferred: [engine], speech: SpeechConfiguration(settings: SpeechSettings(pitch: 1.1)))
    var settings = try await controller.speechSettings(of: engine)
    settings.voice = try await controller.voices(of: engine).first?.identifier
    try await controller.setSpeechSettings(settings, of: engine)

    // A stream subscribes when it is asked for, so that the first word is not missed.
    let events = controller.speechEvents
    try await controller.loadContent(.text(text, language: "en"))
    try await controller.play()
    let ranges = TextRanges(text)
    for await event in events {
        switch event.kind {
        case .word(let range, _):
            let word = ranges.indices(ofUTF8: range)
            print("\(text[..<word.lowerBound])[\(text[word])]\(text[word.upperBound...])")
        case .warning(let warning): print("not spoken: \(warning.message)")
        case .failed(let error): throw error
        case .finished: return await controller.unloadEngine(engine)
        default: break
        }
    }
}

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == 2 else { throw CoreError.invalidArgument("name a text file and an engine") }
    let text = try String(contentsOfFile: arguments[0], encoding: .utf8)
    let isSilent = ProcessInfo.processInfo.environment["OUTPUT"] == "null"
    try await readAloud(
        text.trimmingCharacters(in: .newlines), engine: arguments[1], to: isSilent ? .null : .pulse())
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
