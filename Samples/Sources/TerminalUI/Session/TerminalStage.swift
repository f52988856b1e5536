internal import Glibc
internal import Observation
internal import Synchronization

/// Shows a view on the terminal, draws it anew whenever something changed that it had read, and hands on the keys.
@MainActor
final class TerminalStage {
    private let session = TerminalSession()
    private let colors: ColorMode
    private let view: @MainActor (inout Screen) -> Void
    private var shown: Screen?
    /// Set by whatever the last drawing had read; any thread.
    private let isStale = StaleFlag()

    /// Creates a stage; the terminal is left alone before ``run(atEnd:press:)``.
    ///
    /// - Parameters:
    ///   - colors: The terminal's colours.
    ///   - view: Draws on an empty screen.
    init(colors: ColorMode, view: @escaping @MainActor (inout Screen) -> Void) {
        self.colors = colors
        self.view = view
    }

    /// Shows the view until there is a reason to end it. The terminal is as before then.
    ///
    /// - Parameters:
    ///   - atEnd: Called while the view is still shown.
    ///   - press: Gets every key, and `nil` in between; returns why to end, if there is a reason.
    func run(atEnd: () async -> Void, press: (Key?) async -> PlayerEnding?) async -> PlayerEnding {
        let events = SessionEvents(readsKeys: true, ticksPerSecond: 25)
        session.enter()
        let ending = await follow(events, press)
        await atEnd()
        session.leave()
        events.stop()
        return ending
    }

    private func follow(_ events: SessionEvents, _ press: (Key?) async -> PlayerEnding?) async -> PlayerEnding {
        for await event in events.stream {
            switch event {
            case .key(let key): if let ending = await press(key) { return ending }
            case .resized:
                session.enter()
                shown = nil
                draw()
            case .suspended: suspend()
            case .interrupted(let number): return .interrupted(number)
            case .inputClosed: return .quit
            case .tick: if isStale.take() { draw() }
            }
            if let ending = await press(nil) { return ending }
        }
        return .quit
    }

    private func draw() {
        let size = session.size
        var screen = Screen(width: size.width, height: size.height)
        withObservationTracking {
            view(&screen)
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
