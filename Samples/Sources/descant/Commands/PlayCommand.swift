internal import ArgumentParser
internal import Descant
internal import Foundation
internal import PlayerApp
internal import PlayerIntegration
internal import Synchronization
internal import TerminalUI

/// `descant play`.
struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Plays files, folders and playlists.",
        discussion: """
            On a terminal the player shows the playlist, tags, a seek bar and level meters. Keys: space pauses, ← and → \
            seek, n and p change the track, + and - the volume, m mutes, r repeats, s shuffles, e changes the equaliser, / searches, l shows the \
            words, b the library, t sets a sleep timer, ? shows all keys, q quits. Ctrl-C fades out and quits.

            The player stays open at the end of the playlist, unless --quit-at-end is given or the shell runs it in the \
            background, where it neither draws nor reads keys.

            With --engine there is no view and there are no keys: progress is reported as lines, and media keys reach it.

            What was played is kept: --resume goes on there, and --previous with the queue before. Of players at the same time, the one that began first is kept. \
            Options, keys and colours may stand in \
            $XDG_CONFIG_HOME/descant/config (~/.config/descant/config); --no-config leaves it out.

            Media keys, the desktop's player panel and playerctl reach the player when there is a session bus.

            NO_COLOR turns colours off. Where the output is no terminal, or with --headless, progress is reported as lines. Keys come from \
            the terminal also where standard input is another one, as in find … | xargs descant play.
            """)

    @OptionGroup var playing: PlayingOptions

    @Option(
        help: ArgumentHelp(
            """
            Where sound goes: auto, pulse, alsa, alsa:DEVICE, snapcast:HOST (a Snapcast server, for several rooms), null, or \
            a .wav or .flac file of 16 bits.
            """,
            valueName: "output"), completion: .file())
    var output = "auto"

    @Option(help: ArgumentHelp("Where the first track begins, if it is no stream.", valueName: "seconds"))
    var start = 0.0

    @Flag(help: "Report progress as lines instead of showing the player.")
    var headless = false

    @Flag(
        inversion: .prefixedNo, exclusivity: .chooseLast,
        help: "Quit when everything was played. Without a terminal the player always does.")
    var quitAtEnd = false

    @Flag(inversion: .prefixedNo, exclusivity: .chooseLast, help: "Appear in the desktop's media controls.")
    var remote = true

    @Flag(help: "Go on with what was played last: the same queue, track and position.")
    var resume = false

    @Flag(help: "Go on with what was played before that; a single file in between does not count.")
    var previous = false

    @Option(help: ArgumentHelp("Fade out and stop after so many minutes, 1 to 1440.", valueName: "minutes"))
    var sleep: Int?

    @Flag(help: "Leave the settings file out.")
    var noConfig = false

    @Flag(help: "Play two tracks, an ambience and a spoken line that are made on the spot.")
    var demo = false

    @Option(
        help: ArgumentHelp(
            """
            Play on an engine of a plugin instead, such as mpv or music-assistant; without crossfades and overlays. A \
            player elsewhere takes its own addresses, such as library://album/7, and takes other words as a search.
            """,
            valueName: "engine"))
    var engine: String?

    @Flag(
        help: """
            For files that are not trusted: decode them and read their tags in processes that cannot open other files or \
            the network. Covers are not shown, and network addresses not played.
            """)
    var isolate = false

    @Option(
        name: .customLong("trust"), parsing: .singleValue,
        help: ArgumentHelp(
            """
            Use only plugins that the owner of this public key has signed; repeatable. The others are named with the reason. \
            See: descant help plugin keygen.
            """,
            valueName: "file"), completion: .file())
    var keys: [String] = []

    @Argument(
        help: ArgumentHelp(
            "Files, folders, URLs and playlists (M3U, PLS, XSPF, CUE; on the web, too).", valueName: "input"),
        completion: .file())
    var inputs: [String] = []

    func validate() throws {
        guard demo || resume || previous || !inputs.isEmpty else {
            throw ValidationError("name something to play, or try --resume or --demo")
        }
        try refuseEmpty(inputs)
        guard !inputs.contains("-") else {
            throw ValidationError("-: standard input is not played; name files, folders, playlists or addresses")
        }
        guard !(resume || previous) || (inputs.isEmpty && !demo && engine == nil && start == 0) else {
            let option = previous ? "previous" : "resume"
            throw ValidationError("--\(option) brings its own tracks and position; name neither, and no engine")
        }
        guard sleep.map({ (1...1440).contains($0) }) ?? true else { throw ValidationError("--sleep: use 1 to 1440") }
        guard !demo || inputs.isEmpty else { throw ValidationError("--demo brings its own tracks; name none") }
        guard engine == nil || !demo else { throw ValidationError("--demo plays on the built-in engine only") }
        if engine != nil, let option = playing.beyondEngines {
            throw ValidationError(
                "--\(option) is for the built-in player; an engine plays one input after the other: leave out --engine, or --\(option)"
            )
        }
        guard engine == nil || sleep == nil else {
            throw ValidationError("--sleep is for the built-in player; leave out --engine")
        }
        guard engine == nil || !isolate else {
            throw ValidationError("--isolate is for the built-in player; leave out --engine")
        }
        guard start >= 0, start.isFinite else { throw ValidationError("--start: use 0 or more seconds") }
        guard OutputChoice(argument: output) != nil else {
            throw ValidationError(
                "--output \(output): use auto, pulse, alsa, alsa:DEVICE, snapcast:HOST, snapcast:HOST:PORT, null, or a name that ends in "
                    + ".wav or .flac")
        }
        switch OutputChoice(argument: output) {
        case .file?, .snapcast?:
            guard engine == nil else {
                throw ValidationError("--output \(output) is for the built-in player; leave out --engine")
            }
        default: break
        }
        if case .file? = OutputChoice(argument: output) { try validateFile() }
    }

    private func validateFile() throws {
        guard !resume, !previous else {
            throw ValidationError("what was played goes on aloud; leave out --output \(output)")
        }
        guard sleep == nil else { throw ValidationError("a file ends with its tracks; leave out --sleep") }
        guard !playOptions.isEndless else {
            throw ValidationError("this would never end in a file: add --repeat-count, or a --command that stops")
        }
    }

    func run() async throws {
        do {
            try chooseEnvironment()
            if let engine {
                try await play(on: engine)
            } else if demo {
                try await playDemo()
            } else if resume || previous {
                try await playAgain()
            } else {
                try await playInputs()
            }
        } catch let status as ExitCode {
            throw status
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Plays what the command line names. Inputs without tracks are named and left out while others have tracks.
    private func playInputs() async throws {
        var refusals: [String] = []
        let progress = ProgressLine(isAmongResults: false)
        let waiting = Task {
            while (try? await Task.sleep(for: .milliseconds(600))) != nil {
                progress.show { "reading the folders: \(Int($0)) s" }
            }
        }
        defer {
            waiting.cancel()
            progress.clear()
        }
        let entries = try await InputExpander.entries(for: inputs, in: environment) { failure in
            progress.clear()
            Console.error(failure.description)
            refusals.append(failure.description)
        }
        waiting.cancel()
        progress.clear()
        try await play(entries, playOptions, notices: refusals)
    }

    // MARK: What was played last

    private func playAgain() async throws {
        let store = PlayerStateStore(environment: Console.environment)
        let (saved, problem) = (previous ? store.previous : store).load()
        if let problem { Console.write(problem) }
        guard let saved, !saved.entries.isEmpty else {
            throw CommandFailure(.noInput, "nothing was played before; name something to play")
        }
        var options = playOptions
        // What neither the command line nor the settings say is as it was.
        if playing.volume == nil, let volume = saved.volume {
            options.configuration.volume = Int((volume * 100).rounded())
        }
        if playing.repeats == nil {
            options.configuration.repeatMode = saved.repeatMode
            options.configuration.repeatCount = saved.repeatCount
        }
        if playing.crossfade == nil { options.configuration.crossfadeDuration = saved.modes.crossfade }
        if playing.curve == nil { options.configuration.fadeCurve = saved.fadeCurve }
        if playing.gaplessAlbums == nil { options.configuration.gaplessAlbums = saved.modes.gaplessAlbums }
        if playing.replayGain == nil { options.replayGain.mode = saved.replayGainMode }
        if playing.preamp == nil { options.replayGain.preamp = saved.preamp }
        if playing.equalizer == nil { options.equalizer = saved.modes.equalizer }
        if playing.rate == nil { options.rate = saved.modes.rate }
        if playing.shuffle == nil, playing.shuffleSeed == nil, saved.modes.isShuffled {
            options.shuffleSeed = UInt64.random(in: .min ... .max)
            options.shuffledOrder = saved.order
        }
        try await play(saved.entries, options, at: saved)
    }

    // MARK: The demo

    private func playDemo() async throws {
        Console.write("Making the demo: two tracks, an ambience and a spoken line…")
        let set = try DemoPlaylist()
        defer { set.remove() }
        let line = await spokenLine(set.announcement)
        do {
            try await play(set.entries, set.options(playOptions, line: line))
        } catch {
            await line?.shutdown()
            throw error
        }
        await line?.shutdown()
    }

    private func spokenLine(_ text: String) async -> SpokenLine? {
        do {
            return try await SpokenLine(text, environment: environment)
        } catch {
            Console.write("The demo goes on without its spoken line: \(error)")
            return nil
        }
    }

    // MARK: Where it goes

    /// The environment of this run; a command's properties are its arguments only.
    private static let chosen = Mutex<AudioEnvironment?>(nil)

    private var environment: AudioEnvironment { Self.chosen.withLock { $0 } ?? .shared }

    private func chooseEnvironment() throws {
        guard isolate || !keys.isEmpty else { return }
        let trust =
            try keys.isEmpty ? PluginTrust.everybody : PluginKey.trust(keys.map(InputExpander.url(for:)))
        let plugins = PluginRegistry(isolation: isolate ? .everything : .asManifest, trust: trust)
        let environment = AudioEnvironment(plugins: plugins)
        if !keys.isEmpty { for plugin in plugins.unavailable { Console.error("not used: \(plugin.error)") } }
        Self.chosen.withLock { $0 = environment }
    }

    /// Plays on a plugin's engine; Ctrl-C stops it there, too.
    private func play(on engine: String) async throws {
        // Files are refused by the validation.
        let destination = OutputChoice(argument: output)?.destination(in: environment) ?? .pulse()
        let playback = try await EnginePlayback(
            engine, inputs: inputs, output: destination, isRemoteControlled: remote, environment: environment)
        let start = start
        let task = Task {
            // Flushed at once, also into a pipe. An output that is full does not end the music.
            try await playback.run(start: start) {
                try? Console.line($0)
            } reportFailure: {
                Console.error($0)
            }
        }
        let interruption = SignalCancellation { task.cancel() }
        defer { interruption.end() }
        let result = await task.result
        if let signal = interruption.received { throw ExitCode(128 + signal) }
        try result.get()
    }

    private func play(
        _ entries: [PlaylistEntry], _ options: PlayOptions, at place: SavedPlayback? = nil, notices: [String] = []
    ) async throws {
        var options = options
        options.inserts = try playing.effects(from: environment.plugins)
        let choice = OutputChoice(argument: output) ?? .auto
        func playLive(named name: String) async throws {
            try await self.playLive(entries, options, at: place, notices: notices, on: choice, named: name)
        }
        switch choice {
        case .file(let url): try await playIntoFile(entries, options, url: url)
        case .null: try await playLive(named: "null output")
        case .pulse: try await playLive(named: "sound server")
        case .alsa(let device): try await playLive(named: device ?? "ALSA")
        case .snapcast(let receiver): try await playLive(named: "Snapcast at \(receiver)")
        case .auto:
            guard let problem = await OutputChoice.soundServerProblem(in: environment) else {
                return try await playLive(named: "sound server")
            }
            guard demo else {
                throw CommandFailure(
                    .failure, "\(problem)\nTry --output null, --output FILE.wav, or see: \(Console.program) doctor")
            }
            Console.write("Nothing would be heard: \(problem)")
            try await demonstrate(entries, options)
        }
    }

    private var playOptions: PlayOptions {
        var options = playing.options(crossfade: demo ? 4 : 0, overlay: .init(volume: 0.3, passes: nil, fade: 2))
        options.configuration.transitionInterruption = .fastForward
        return options
    }

    // MARK: Live

    private func playLive(
        _ entries: [PlaylistEntry], _ options: PlayOptions, at place: SavedPlayback?, notices: [String],
        on output: OutputChoice, named name: String
    ) async throws {
        let settings = noConfig ? PlaySettings() : try PlaySettings(environment: Console.environment)
        if !headless { TerminalSession.takeControllingTerminal() }
        var request = PlayRequest(
            entries: entries, output: output.destination(in: environment) ?? .null, options: options,
            start: place?.position ?? start,
            isRemoteControlled: remote)
        request.startIndex = place?.index
        request.isWatched = showsView
        if !demo { request.store = PlayerStateStore(environment: Console.environment) }
        let player = try DescantPlayer(request, environment: environment)
        let state = await AppState(
            player: player, entries: entries, volume: Double(options.configuration.volumeFloat), modes: options.modes,
            heading: name, staysOpen: showsView && !quitAtEnd, showsCover: settings.showsCover && !isolate,
            // Without a view they were written already.
            notices: showsView ? notices : [],
            library: showsView ? SiblingProgram.find("library").map { LibraryProgram($0) } : nil)
        let following = Task { await state.follow() }
        // The view is there while tracks are tried that take long to open.
        let starting = Task {
            do {
                try await player.start()
            } catch {
                await player.stop(fade: 0)
                throw error
            }
            // Nobody has seen yet which inputs were left out.
            if let sleep { await state.send(.sleep(.after(minutes: sleep)), dismisses: false) }
        }
        // Lines tell what happens once it has begun.
        if !showsView, case .failure(let error) = await starting.result {
            await following.value
            throw await explain(error, entries, on: output)
        }
        let ending = await show(state, player: player, settings.view)
        await following.value
        if case .interrupted(let signal) = ending { throw ExitCode(128 + signal) }
        do {
            try await starting.value
        } catch {
            guard ending != .quit else { return }
            throw await explain(error, entries, on: output)
        }
        if let failure = player.failure { try await judge(failure, state) }
    }

    /// The reason why nothing plays, with its remedy. When no file can be opened, prints the reason of every file, because the player's error
    /// names only the last one.
    private func explain(_ error: any Error, _ entries: [PlaylistEntry], on output: OutputChoice) async -> any Error {
        let failure = CommandFailure(error)
        if failure.status == .failure, let remedy = output.remedy(in: environment) {
            return CommandFailure(.failure, "\(failure.message)\n\(remedy)")
        }
        guard failure.status == .noInput, entries.count > 1,
            let inspector = try? StreamInspector(environment: environment)
        else { return failure }
        for entry in entries.prefix(20) {
            do {
                _ = try await inspector.inspect(entry.url)
            } catch {
                Console.error("\(error)")
            }
        }
        await inspector.close()
        return ExitCode(failure.status.rawValue)
    }

    /// Files that cannot be played were reported on the way; they matter when nothing else was heard.
    private func judge(_ failure: AudioPlayerError, _ state: AppState) async throws {
        let status = CommandFailure(failure).status
        guard status == .noInput else { throw failure }
        if await state.currentIndex == nil { throw ExitCode(status.rawValue) }
    }

    private var showsView: Bool { !headless && TerminalSession.isAvailable }

    @MainActor
    private func show(_ state: AppState, player: DescantPlayer, _ settings: TerminalApp.Settings) async -> AppEnding {
        let stop: () async -> Void = { await player.stop(fade: 0.3) }
        if showsView {
            return await TerminalApp(player: state, environment: Console.environment, settings: settings)
                .run(atEnd: stop)
        }
        return await PlainReporter(state: state) { Console.write($0) }.run(atEnd: stop)
    }

    // MARK: Into a file

    private func playIntoFile(
        _ entries: [PlaylistEntry], _ options: PlayOptions, url: URL, followsLinks: Bool = true
    ) async throws {
        var request = RenderRequest(inputs: entries.map(\.url), output: url, options: options)
        request.encoding = .s16
        request.writesFLAC = url.pathExtension.lowercased() == "flac"
        request.start = start
        request.followsLinks = followsLinks
        do {
            let report = try await request.renderShowingProgress(in: environment)
            for failure in report.errors { Console.error(failure.message) }
            Console.write("wrote \(url.path), \(Timecode.text(report.seconds))")
        } catch RenderFailure.noInput(let report) {
            for failure in report.errors { Console.error(failure.message) }
            throw ExitCode(ExitStatus.noInput.rawValue)
        }
    }

    /// The demo without a sound server: a file, and its meters as text.
    private func demonstrate(_ entries: [PlaylistEntry], _ options: PlayOptions) async throws {
        // Where it replaces no other file, of this person or of another one. Others may have made a link of that name.
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("descant-demo-\(getuid()).wav")
        Console.write("Rendering to a file instead; a list of what would fix it: \(Console.program) doctor")
        try await playIntoFile(entries, options, url: url, followsLinks: false)
        let glyphs = Glyphs.forEnvironment(Console.environment)
        let timeline = try LevelTimeline(of: url)
        for (index, levels) in timeline.spans.enumerated() {
            let bars = zip(levels.rms, levels.peak).map { LevelBar(rms: $0, peak: $1) }
            let text = bars.map { $0.text(width: 24, glyphs: glyphs) }.joined(separator: " ")
            let peak = bars.max { $0.peak < $1.peak }?.label ?? ""
            try Console.line("\(Timecode.text(Double(index) * timeline.spanLength))  \(text)  \(peak)")
        }
    }
}
