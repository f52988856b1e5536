internal import ArgumentParser
internal import Descant
internal import Foundation
internal import PlayerApp
internal import PlayerIntegration
internal import TerminalUI

/// `descant read`.
struct ReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Reads a book aloud and shows it.",
        discussion: """
            Text, Markdown, HTML and EPUB files, folders of chapters, or - for standard input; several make one book. On a \
            terminal the text is shown with the sentence and the word that are heard. Keys: space pauses, ← and → go by \
            sentences, ↑ and ↓ by paragraphs, < and > by chapters, [ and ] change the speed, e and v the engine and the \
            voice at the present word, + and - the volume, m mutes, t sets a sleep timer, ? shows all keys, q quits.

            The place is kept below $XDG_STATE_HOME/descant/reading, with engine, voice, speed and volume, and found again \
            when the file has moved or was edited. Without a terminal, or with --headless, each sentence is printed as it is \
            heard.

            Media keys and playerctl go from sentence to sentence when there is a session bus.

            Exit status: 0 when it was read or left, 2 for wrong usage, 66 when there is no such file or synthesizer, 74 when \
            the text cannot be written, 1 otherwise.
            """)

    @Option(help: ArgumentHelp("The synthesizer. (default: that of the last time)", valueName: "name"))
    var engine: String?

    @Option(help: ArgumentHelp("The voice; see descant speak --list-voices.", valueName: "name"))
    var voice: String?

    @Option(help: ArgumentHelp("The speed, 0.25 to 4. (default: that of the last time)", valueName: "times"))
    var rate: Double?

    @Option(help: ArgumentHelp("The volume, 0 to 100. (default: that of the last time)", valueName: "percent"))
    var volume: Int?

    @Option(help: ArgumentHelp("The text's language, such as en-GB. (default: what the book says)", valueName: "tag"))
    var language: String?

    @Option(
        help: ArgumentHelp(
            "Pause at the end of a sentence after so many minutes of reading, 1 to 1440; with --headless, end there.",
            valueName: "minutes"))
    var sleep: Int?

    @Flag(help: "Begin at the beginning instead of the kept place.")
    var fromStart = false

    @Flag(name: .customLong("forget"), help: "Neither use nor keep a place.")
    var forgets = false

    @Option(
        help: ArgumentHelp("Where it is heard: pulse, alsa, alsa:DEVICE, snapcast:HOST, null.", valueName: "output"))
    var output = "pulse"

    @Flag(help: "Print the sentences as they are heard instead of showing the book.")
    var headless = false

    @Flag(name: .customLong("no-remote"), help: "Do not appear in the desktop's media controls.")
    var withoutRemote = false

    @OptionGroup var isolation: SpeechIsolation

    @Argument(help: ArgumentHelp("Files, folders, or -.", valueName: "book"), completion: .file())
    var books: [String]

    func validate() throws {
        try refuseEmpty(books)
        guard rate.map(SpeechSettings.rateRange.contains) ?? true else {
            throw ValidationError("--rate: use 0.25 to 4")
        }
        guard volume.map({ (0...100).contains($0) }) ?? true else { throw ValidationError("--volume: use 0 to 100") }
        guard sleep.map({ (1...1440).contains($0) }) ?? true else { throw ValidationError("--sleep: use 1 to 1440") }
        guard destination != nil else {
            throw ValidationError("--output \(output): use pulse, alsa, snapcast:HOST or null")
        }
        guard books.filter({ $0 == "-" }).count <= 1 else {
            throw ValidationError("- stands for standard input; name it once")
        }
    }

    func run() async throws {
        do {
            try await read()
        } catch let status as ExitCode {
            throw status
        } catch {
            throw CommandFailure(error)
        }
    }

    private var destination: OutputDestination? {
        OutputChoice(argument: output)?.destination(in: isolation.environment)
    }

    private func read() async throws {
        let loaded = try BookLoader(books, language: language)
        var notices = loaded.notices.map { Notice(.warning, $0) }
        let request = request(for: loaded, &notices)
        let theme = showsBook ? chosenTheme(&notices) : .standard
        let reader = try ReaderPlayback(request, environment: isolation.environment)
        let state = await ReaderState(
            reader: reader, book: loaded.book, place: request.start, rate: request.settings.rate,
            volume: request.volume, notices: notices)
        if let sleep { await state.setSleep(.after(minutes: sleep)) }
        let following = Task { await state.follow() }
        // The book is on the screen while the voice is being loaded.
        let starting = Task {
            do {
                try await reader.start()
            } catch {
                await reader.stop()
                throw error
            }
        }
        let ending = try await show(state, reader, theme)
        await following.value
        if case .interrupted(let signal) = ending { throw ExitCode(128 + signal) }
        guard ending != .quit else { return }
        try await starting.value
        if case .failed(let reason) = ending { throw CommandFailure(.failure, reason) }
    }

    /// The request to read a book from its stored place.
    private func request(for loaded: BookLoader, _ notices: inout [Notice]) -> ReadRequest {
        var request = ReadRequest(
            book: loaded.book, source: loaded.source, settings: SpeechSettings(voice: voice, language: language),
            output: destination ?? .null)
        request.engine = engine
        request.isRemoteControlled = !withoutRemote
        let givenVolume = volume.map { Double($0) / 100 }
        request.settings.rate = rate ?? 1
        request.volume = givenVolume ?? 1
        guard !forgets else { return request }
        let positions = ReadingPositions(environment: Console.environment)
        request.positions = positions
        let (kept, problem) = positions.position(of: loaded.book, source: loaded.source)
        if let problem { notices.append(Notice(.warning, problem)) }
        guard let kept else { return request }
        request.resume(
            kept, engines: isolation.environment.plugins.providers(of: .speech).map(\.provision.identifier))
        if let rate { request.settings.rate = rate }
        if let givenVolume { request.volume = givenVolume }
        guard !fromStart else {
            request.start = 0
            return request
        }
        if request.start > 0 {
            let percent = Int(Double(request.start) / Double(loaded.book.length) * 100)
            notices.append(Notice(.information, "going on at \(percent)%; --from-start begins at the beginning"))
        }
        return request
    }

    private var showsBook: Bool { !headless && TerminalSession.isAvailable }

    /// The theme of the settings file. A mistake in that file, which is for `descant play`, does not keep a book from being read.
    private func chosenTheme(_ notices: inout [Notice]) -> Theme {
        do {
            return try PlaySettings(environment: Console.environment).view.theme
        } catch {
            notices.append(Notice(.warning, CommandFailure(error).message))
            return .standard
        }
    }

    @MainActor
    private func show(_ state: ReaderState, _ reader: ReaderPlayback, _ theme: Theme) async throws -> AppEnding {
        let stop: () async -> Void = { await reader.stop() }
        if showsBook {
            return await TerminalApp(reader: state, environment: Console.environment, theme: theme).run(atEnd: stop)
        }
        return try await PlainReader(state: state, write: { try Console.line($0) }, note: { Console.write($0) }).run(
            atEnd: stop)
    }
}
