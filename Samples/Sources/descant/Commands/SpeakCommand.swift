internal import ArgumentParser
internal import Descant
internal import Dispatch
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

            Exit status: 0 when everything was spoken, 2 for wrong usage, 66 when there is no such file or synthesizer, 1 \
            otherwise.
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

    @Flag(help: "Show the words as they are heard.")
    var highlight = false

    @Option(help: ArgumentHelp("Write a WAV file instead.", valueName: "file"))
    var to: String?

    @Option(help: ArgumentHelp("Where it is heard: pulse, alsa, null.", valueName: "output"))
    var output = "pulse"

    @Flag(help: "List the voices of the synthesizer.")
    var listVoices = false

    @Flag(help: "Print one JSON object with the marks and their frames.")
    var json = false

    @Argument(help: ArgumentHelp("Text, a file's name, or -.", valueName: "text"))
    var words: [String] = []

    func validate() throws {
        guard SpeechSettings.rateRange.contains(rate) else { throw ValidationError("--rate: use 0.25 to 4") }
        guard (0.1...10).contains(pitch) else { throw ValidationError("--pitch: use 0.1 to 10") }
        guard listVoices || !words.isEmpty else { throw ValidationError("say what to speak: text, a file, or -") }
        if let to, !to.lowercased().hasSuffix(".wav") {
            throw ValidationError("--to \(to): use a name that ends in .wav")
        }
        guard to != nil || live != nil else { throw ValidationError("--output \(output): use pulse, alsa or null") }
    }

    func run() async throws {
        do {
            if listVoices { try await showVoices() } else { try await speak() }
        } catch {
            throw CommandFailure(error)
        }
    }

    private var live: OutputDestination? {
        switch OutputChoice(argument: output) {
        case .pulse, .auto: .pulse()
        case .alsa(let device): .alsa(device: device)
        case .null: .null
        case .file, nil: nil
        }
    }

    private func showVoices() async throws {
        let voices = try await Speaking(environment: .shared).voices(of: engine)
        if json { return try Console.json(voices) }
        for voice in voices {
            print(
                "\(voice.identifier)  \(voice.languages.joined(separator: " "))  \(DisplayWidth.printable(voice.name))")
        }
    }

    private func speak() async throws {
        let settings = SpeechSettings(voice: voice, language: language, rate: rate, pitch: pitch)
        let destination = to.map { OutputDestination.wav(InputExpander.url(for: $0), .f32) } ?? live ?? .null
        let request = SpeakRequest(text: try text(), engine: engine, settings: settings, output: destination)
        let shows = highlight && !json
        let task = Task {
            try await Speaking(environment: .shared).speak(request) { mark in
                guard shows else { return }
                let text = DisplayWidth.printable(mark.text)
                FileHandle.standardOutput.write(Data((mark.kind == "word" ? text + " " : "\n").utf8))
            }
        }
        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT)
        interrupt.setEventHandler { task.cancel() }
        interrupt.activate()
        defer { interrupt.cancel() }
        let report = try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
        if shows { print("") }
        if json { return try Console.json(report) }
        for warning in report.warnings { Console.error(warning) }
        if let to {
            print("\(to): \(Timecode.text(Double(report.frames) / Double(report.sampleRate))), \(report.sampleRate) Hz")
        }
    }

    /// The argument itself, unless it names a file or standard input.
    private func text() throws -> String {
        guard words.count == 1, let word = words.first else { return words.joined(separator: " ") }
        if word == "-" { return String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self) }
        guard FileManager.default.fileExists(atPath: word) else { return word }
        do {
            return String(decoding: try Data(contentsOf: URL(fileURLWithPath: word)), as: UTF8.self)
        } catch {
            throw InputError(description: "\(word): \(error.localizedDescription)")
        }
    }
}
