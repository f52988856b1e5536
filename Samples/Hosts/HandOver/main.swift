import Descant
import Foundation

// Reads a text file aloud, the second half with another engine: HandOver FILE ENGINE ENGINE
// snippet
/// Reads a text aloud; another engine takes over in the middle, at the word that is due.
func read(_ text: String, first: String, second: String, to output: OutputDestination) async throws {
    let controller = AudioEnvironment.shared.makeController(output: output, policy: .onDemand)
    let events = controller.speechEvents
    try await controller.loadContent(.text(text, language: "en"))
    try await controller.selectEngine(first)
    try await controller.play()
    let ranges = TextRanges(text)
    var engine = first
    for await event in events {
        switch event.kind {
        case .word(let range, _):
            print("\(engine): \(ranges[utf8: range])")
            guard engine == first, range.lowerBound >= text.utf8.count / 2 else { continue }
            try await controller.selectEngine(second)
            await controller.unloadEngine(first)
            engine = second
        case .failed(let error): throw error
        case .finished: return await controller.stop()
        default: break
        }
    }
}

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == 3 else { throw CoreError.invalidArgument("name a text file and two engines") }
    let text = try String(contentsOfFile: arguments[0], encoding: .utf8)
    let isSilent = ProcessInfo.processInfo.environment["OUTPUT"] == "null"
    try await read(text, first: arguments[1], second: arguments[2], to: isSilent ? .null : .pulse())
    print("finished")
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
