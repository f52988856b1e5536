internal import Observation
public import PlayerApp
internal import Synchronization

/// Why an app on the terminal ended.
public enum AppEnding: Sendable, Equatable {
    /// Everything was played or read.
    case finished
    /// It cannot go on; the reason.
    case failed(String)
    /// The person ended it.
    case quit
    /// A signal asked the program to end.
    case interrupted(Int32)
}

/// An app on the terminal: keys become intents, and the view is drawn again when a value changes that the last drawing read.
@MainActor
public final class TerminalApp {
    private let session: TerminalSession
    private let colors: ColorMode
    private let theme: Theme
    /// The title of the window; `nil` for the terminal's own.
    private let title: @MainActor () -> String?
    private var shownTitle: String?
    private let view: @MainActor (inout Screen) -> Void
    /// Begins what a key commands; returns whether that ends the app.
    private let press: @MainActor (Key) -> Bool
    /// Whether there is nothing more to show.
    private let isDone: @MainActor () -> Bool
    /// Waits for what must not be lost when the app ends.
    private let finishWriting: @MainActor () async -> Void
    private var shown: Screen?
    /// What the terminal says about pictures.
    private var pictures: PictureSupport
    private var events: SessionEvents?
    /// Set from any thread when a value changes that the last drawing read.
    private let isStale = StaleFlag()

    /// What a person has chosen for the player's view.
    public struct Settings: Sendable {
        /// The keys.
        public var keys = KeyBindings()
        /// The colours.
        public var theme = Theme.standard
        /// Whether the mouse acts on the view.
        public var usesMouse = true
        /// Whether the window's title names the track.
        public var setsTitle = true
        /// How covers are drawn.
        public var pictures = PictureChoice.auto

        /// The usual settings.
        public init() {}
    }

    /// Creates an app that shows a player. The terminal does not change before ``run(atEnd:)``.
    ///
    /// - Parameters:
    ///   - state: The state of the player.
    ///   - environment: The environment of the process, which chooses colours and glyphs.
    ///   - settings: What the person has chosen.
    public convenience init(player state: AppState, environment: [String: String], settings: Settings = Settings()) {
        let view = PlayerView(
            glyphs: .forEnvironment(environment), keys: settings.keys,
            showsColors: ColorMode(environment: environment) != .none)
        self.init(
            state, environment, settings,
            keys: { key in
                // Nobody has answered the question with a text that was pasted.
                if case .pasted = key, state.prompt?.question != nil { return nil }
                if case .mouse(let mouse) = key { return state.prompt == nil ? view.intent(for: mouse) : nil }
                return settings.keys.intent(
                    for: key, isTyping: state.prompt != nil, showsHelp: state.showsHelp, page: view.page)
            },
            title: {
                guard settings.setsTitle, let track = state.current else { return nil }
                return [state.song ?? track.title, track.artist].compactMap { $0 }.joined(separator: " – ")
            },
            draw: { view.draw(state, on: &$0) })
    }

    /// Creates an app that shows a reader. The terminal does not change before ``run(atEnd:)``.
    ///
    /// - Parameters:
    ///   - state: The state of the reader.
    ///   - environment: The environment of the process, which chooses colours and glyphs.
    ///   - theme: The colours.
    public convenience init(reader state: ReaderState, environment: [String: String], theme: Theme) {
        let view = ReaderView(glyphs: .forEnvironment(environment))
        var settings = Settings()
        settings.theme = theme
        settings.usesMouse = false
        settings.pictures = .blocks
        self.init(state, environment, settings, keys: ReaderKeys.intent, title: { nil }) { view.draw(state, on: &$0) }
    }

    private init<State: InteractiveState>(
        _ state: State, _ environment: [String: String], _ settings: Settings,
        keys: @escaping @MainActor (Key) -> State.Intent?, title: @escaping @MainActor () -> String?,
        draw: @escaping @MainActor (inout Screen) -> Void
    ) {
        session = TerminalSession(usesMouse: settings.usesMouse)
        theme = settings.theme
        self.title = title
        colors = ColorMode(environment: environment)
        pictures = PictureSupport(colors == .none ? .blocks : settings.pictures, environment: environment)
        view = { screen in
            draw(&screen)
            _ = state.isDone
        }
        let commands = KeyCommands(state, intent: keys)
        press = { commands.press($0) }
        isDone = {
            // Nobody sees a player in the background that waits at its end.
            state.isDone || (state.hasEnded && !TerminalSession.isInForeground)
        }
        finishWriting = { await state.finishWriting() }
    }

    /// Shows the view until the state is done, the person quits or a signal comes, and restores the terminal.
    ///
    /// While the shell has the terminal, after `&`, Ctrl-Z or `bg`, nothing is drawn and no key is read. The view is shown when the
    /// process is in the foreground, and the app ends with the playlist when it is not.
    ///
    /// - Parameter atEnd: Called while the view is still shown, for a fade or to keep the place.
    /// - Returns: Why it ended.
    public func run(atEnd: () async -> Void) async -> AppEnding {
        let events = SessionEvents(readsKeys: true, ticksPerSecond: 25)
        self.events = events
        let ending = await follow(events)
        await atEnd()
        await withLimit(seconds: 2, finishWriting)
        _ = await awaitAnswers(events)
        session.leave()
        events.stop()
        self.events = nil
        return ending
    }

    private func follow(_ events: SessionEvents) async -> AppEnding {
        var ticks = 0
        for await event in events.stream {
            switch event {
            case .key(.answer(let answer)):
                ask(pictures.take(answer))
                isStale.set()
            case .key(.suspend), .suspended:
                guard TerminalSession.canBeContinued else { break }
                if let number = await awaitAnswers(events) { return .interrupted(number) }
                suspend(events)
            case .key(let key):
                if key == .control("l") {
                    // Another program may have written over the view.
                    shown = nil
                    isStale.set()
                }
                if press(key) { return .quit }
            case .resized:
                shown = nil
                if isShown {
                    ask(pictures.questionsAfterResize())
                    draw()
                }
            case .interrupted(let number): return .interrupted(number)
            case .inputClosed: return .quit
            case .tick:
                ticks += 1
                // 10 s.
                if ticks == 250 { pictures.giveUp() }
                if isShown, session.isReady, isStale.take() { draw() }
            }
            if isDone() { return .finished }
        }
        return .quit
    }

    /// Asks the terminal, which may answer at any time.
    private func ask(_ questions: String?) {
        guard let questions else { return }
        events?.expectAnswers()
        session.write(questions)
    }

    /// Waits a moment for answers that are on their way: after the view they would reach the shell as typed text.
    ///
    /// - Returns: A signal that asks the program to end and came meanwhile.
    private func awaitAnswers(_ events: SessionEvents) async -> Int32? {
        guard pictures.isWaiting else { return nil }
        var ticks = 0
        for await event in events.stream {
            switch event {
            case .key(.answer(let answer)):
                _ = pictures.take(answer)
                if case .attributes = answer { return nil }
            case .interrupted(let number): return number
            case .tick: ticks += 1
            default: break
            }
            // 0.2 s.
            if ticks > 5 { return nil }
        }
        return nil
    }

    /// Whether the view is shown: it is while the process is in the foreground.
    private var isShown: Bool {
        guard TerminalSession.isInForeground else {
            session.abandon()
            return false
        }
        if session.enter() {
            shown = nil
            shownTitle = nil
            isStale.set()
            ask(pictures.begin())
        }
        return true
    }

    /// Draws what has changed. While the terminal does not read, nothing is drawn: the next drawing shows all changes until then.
    private func draw() {
        guard session.isReady else { return isStale.set() }
        let size = session.size
        let support = pictures.format(window: session.cellSize)
        var screen = Screen(width: size.width, height: size.height, pictureCell: support?.cell)
        var title: String?
        withObservationTracking {
            view(&screen)
            title = self.title()
        } onChange: { [isStale] in
            isStale.set()
        }
        if screen.picture != nil, let support { EmergencyRestore.willSend(support.format) }
        session.write(screen.update(from: shown, colors: colors, theme: theme, pictures: support?.format))
        shown = screen
        if let title, title != shownTitle {
            session.write("\u{1b}]2;\(DisplayWidth.clip(DisplayWidth.printable(title), to: 200))\u{1b}\\")
            shownTitle = title
        }
    }

    /// Gives the terminal to the shell on Ctrl-Z. The next tick shows the view again, in the foreground.
    private func suspend(_ events: SessionEvents) {
        session.leave()
        shown = nil
        events.stopGroup()
    }
}

/// Waits until an operation has ended, up to a limit; the operation goes on then.
@MainActor
private func withLimit(seconds: Double, _ operation: @escaping @MainActor () async -> Void) async {
    let (ended, end) = AsyncStream<Void>.makeStream()
    Task {
        await operation()
        end.finish()
    }
    Task {
        // Nobody cancels this task, so the sleep does not throw.
        try? await Task.sleep(for: .seconds(seconds))
        end.finish()
    }
    for await _ in ended {}
}

/// A flag that any thread sets and one reader takes.
private final class StaleFlag: Sendable {
    private let value = Atomic(true)

    func set() { value.store(true, ordering: .releasing) }

    func take() -> Bool { value.exchange(false, ordering: .acquiringAndReleasing) }
}
