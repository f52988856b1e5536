internal import ArgumentParser
internal import Descant
internal import Foundation
internal import PlayerIntegration
internal import TerminalUI

/// `descant speak`.
struct SpeakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "speak",
        abstract: "Speaks text.",
        discussion: """
            The text is an argument, a file, or - for standard input. Synthesizers are plugins: see descant plugins. With \
            --to the sound is written to a file as fast as the machine can; otherwise it is heard, and Ctrl-C ends it.

            What the voice cannot speak is named, and the rest is spoken. Exit status: 0 when the text was spoken, 1 when \
            nothing of it could be or something failed, 2 for wrong usage, 66 when there is no such file, text, synthesizer, \
            voice or language, 74 when the words cannot be written, 130 after Ctrl-C.
            """)

    @Option(help: ArgumentHelp("The synthesizer. (default: the first one there is)", valueName: "name"))
    var engine: String?

    @Option(help: ArgumentHelp("The voice; see --list-voices.", valueName: "name"))
    var voice: String?

    @Option(help: ArgumentHelp("The speed, 0.25 to 4.", valueName: "times"))
    var rate = 1.0

    @Option(help: ArgumentHelp("The pitch, relative to the voice's own.", valueName: "times"))
    var pitch = 1.0

    @Option(help: ArgumentHelp("The text's language, such as en-GB.", valueName: "tag"))
    var language: String?

    @Flag(help: "Show the text as it is heard, word by word, with a line for each sentence.")
    var highlight = false

    @Option(help: ArgumentHelp("Write a .wav or .flac file instead.", valueName: "file"), completion: .file())
    var to: String?

    @Option(
        help: ArgumentHelp("Where it is heard: pulse, alsa, snapcast:HOST, null. (default: pulse)", valueName: "output")
    )
    var output: String?

    @Flag(help: "List the voices of the synthesizer.")
    var listVoices = false

    @Flag(help: "Print one JSON object with the marks and their frames.")
    var json = false

    @OptionGroup var isolation: SpeechIsolation

    @Argument(help: ArgumentHelp("Text, a file's name, or -.", valueName: "text"))
    var words: [String] = []

    func validate() throws {
        guard SpeechSettings.rateRange.contains(rate) else { throw ValidationError("--rate: use 0.25 to 4") }
        guard (0.1...10).contains(pitch) else { throw ValidationError("--pitch: use 0.1 to 10") }
        guard listVoices == words.isEmpty else {
            throw ValidationError(
                listVoices
                    ? "--list-voices speaks nothing; leave out the text" : "say what to speak: text, a file, or -")
        }
        guard !json || !highlight else {
            throw ValidationError("--json prints the marks itself; leave out --highlight")
        }
        if let to, !to.lowercased().hasSuffix(".wav"), !isFLAC {
            throw ValidationError("--to \(to): use a name that ends in .wav or .flac")
        }
        guard to == nil || output == nil else {
            throw ValidationError("--to writes a file instead of playing; leave out --output")
        }
        guard to != nil || live != nil else {
            throw ValidationError("--output \(output ?? ""): use pulse, alsa, snapcast:HOST or null")
        }
    }

    func run() async throws {
        do {
            if listVoices { try await showVoices() } else { try await speak() }
        } catch let status as ExitCode {
            throw status
        } catch {
            throw CommandFailure(error)
        }
    }

    private var isFLAC: Bool { to?.lowercased().hasSuffix(".flac") ?? false }

    private func destination(_ file: URL) -> OutputDestination {
        isFLAC ? .flac(file, bits: 24) : .wav(file, .f32)
    }

    private var live: OutputDestination? {
        OutputChoice(argument: output ?? "pulse")?.destination(in: isolation.environment)
    }

    private func showVoices() async throws {
        let voices = try await Speaking(environment: isolation.environment).voices(of: engine)
        if json { return try Console.json(voices) }
        for voice in voices {
            let languages = voice.languages.joined(separator: " ")
            try Console.line(DisplayWidth.printable("\(voice.identifier)  \(languages)  \(voice.name)"))
        }
    }

    private func speak() async throws {
        let settings = SpeechSettings(voice: voice, language: language, rate: rate, pitch: pitch)
        let input = try SpokenInput(words, standardInput: .standardInput)
        let file = try to.map { try PendingFile(InputExpander.url(for: $0)) }
        let request = SpeakRequest(
            text: input.text, engine: engine, settings: settings,
            output: file.map { destination($0.partial) } ?? live ?? .null)
        if let warning = request.warning { Console.error(warning) }
        do {
            var report = try await speak(request)
            report.warnings.insert(contentsOf: input.warnings, at: 0)
            // The sound is kept although its report cannot be written.
            if !report.isSilent { try file?.keep() }
            try show(report)
            if let file, !json {
                let length = Timecode.text(Double(report.frames) / Double(report.sampleRate))
                try Console.line("\(file.target.path): \(length), \(report.sampleRate) Hz")
            }
        } catch {
            file?.discard()
            throw file?.named(error) ?? error
        }
    }

    /// Speaks until everything was heard, or a signal ends it.
    private func speak(_ request: SpeakRequest) async throws -> SpeechReport {
        let shows = highlight && !json
        let progress = ProgressLine(isAmongResults: shows)
        defer { progress.clear() }
        let task = Task {
            var highlighted = HighlightedText(request.text)
            let speaking = Speaking(environment: isolation.environment)
            let report = try await speaking.speak(request) { mark in
                if shows { try Console.text(highlighted.text(at: mark)) }
            } progress: {
                progress.showSound($0, "spoken")
            }
            if shows { try Console.text(highlighted.rest()) }
            return report
        }
        let interruption = SignalCancellation { task.cancel() }
        defer { interruption.end() }
        let result = await task.result
        if let signal = interruption.received {
            if shows { try? Console.line("") }
            throw ExitCode(128 + signal)
        }
        if shows { try Console.line("") }
        return try result.get()
    }

    private func show(_ report: SpeechReport) throws {
        if json { try Console.json(report) } else { warn(report.warnings) }
        if report.isSilent { throw CommandFailure(.failure, "nothing of the text could be spoken") }
    }

    /// Prints only some warnings, because a voice of another language warns of every word.
    private func warn(_ warnings: [String]) {
        let shown = 10
        for warning in warnings.prefix(shown) { Console.error(DisplayWidth.printable(warning)) }
        if warnings.count > shown {
            Console.error("and \(warnings.count - shown) more of that kind; --json has all of them")
        }
    }
}
