internal import Glibc
internal import Observation
public import PlayerApp
internal import Synchronization

/// Runs the player's view on the terminal until it ends.
@MainActor
public final class TerminalPlayer {
    private let state: AppState
    private let session = TerminalSession()
    private let view: PlayerView
    private let colors: ColorMode
    private var shown: Screen?
    /// Set by whatever the last drawing had read; any thread.
    private let isStale = StaleFlag()

    /// Creates the view.
    ///
    /// - Parameters:
    ///   - state: What to show and to send intents to.
    ///   - environment: The process's environment, for colours and signs.
    public init(state: AppState, environment: [String: String]) {
        self.state = state
        colors = ColorMode(environment: environment)
        view = PlayerView(glyphs: .forEnvironment(environment))
    }

    /// Shows the view until the player is done, the person leaves or a signal comes. The terminal is as before then.
    ///
    /// - Parameter atEnd: Called while the view is still shown, for a fade.
    /// - Returns: Why it ended.
    public func run(atEnd: () async -> Void) async -> PlayerEnding {
        let events = SessionEvents(readsKeys: true, ticksPerSecond: 25)
        session.enter()
        let ending = await follow(events)
        await atEnd()
        session.leave()
        events.stop()
        return ending
    }

    private func follow(_ events: SessionEvents) async -> PlayerEnding {
        for await event in events.stream {
            switch event {
            case .key(let key):
                guard let intent = KeyBindings.intent(for: key) else { break }
                await state.send(intent)
                if intent == .quit { return .quit }
            case .resized:
                session.enter()
                shown = nil
                draw()
            case .suspended: suspend()
            case .interrupted(let number): return .interrupted(number)
            case .inputClosed: return .quit
            case .tick: if isStale.take() { draw() }
            }
            if state.isDone { return .finished }
        }
        return .quit
    }

    private func draw() {
        let size = session.size
        var screen = Screen(width: size.width, height: size.height)
        withObservationTracking {
            view.draw(state, on: &screen)
            _ = state.isDone
        } onChange: { [isStale] in
            isStale.set()
        }
        TerminalSession.write(screen.update(from: shown, colors: colors))
        shown = screen
    }

    /// Ctrl-Z: the shell gets its terminal; SIGCONT brings the view back.
    private func suspend() {
        session.leave()
        shown = nil
        kill(getpid(), SIGSTOP)
    }
}

/// A flag that any thread sets and one reader takes.
private final class StaleFlag: Sendable {
    private let value = Atomic(true)

    func set() { value.store(true, ordering: .releasing) }

    func take() -> Bool { value.exchange(false, ordering: .acquiringAndReleasing) }
}
