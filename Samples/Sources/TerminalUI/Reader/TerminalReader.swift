public import PlayerApp

/// Runs the reader's view on the terminal until it ends.
@MainActor
public final class TerminalReader {
    private let state: ReaderState
    private let stage: TerminalStage

    /// Creates the view.
    ///
    /// - Parameters:
    ///   - state: What to show and to send intents to.
    ///   - environment: The process's environment, for colours and signs.
    public init(state: ReaderState, environment: [String: String]) {
        self.state = state
        let view = ReaderView(glyphs: .forEnvironment(environment))
        stage = TerminalStage(colors: ColorMode(environment: environment)) { screen in
            view.draw(state, on: &screen)
            _ = state.isDone
        }
    }

    /// Shows the view until the book was read, the person leaves or a signal comes. The terminal is as before then.
    ///
    /// - Parameter atEnd: Called while the view is still shown, to keep the place.
    /// - Returns: Why it ended.
    public func run(atEnd: () async -> Void) async -> PlayerEnding {
        await stage.run(atEnd: atEnd) { [state] key in
            guard let key else { return state.isDone ? .finished : nil }
            guard let intent = ReaderKeys.intent(for: key) else { return nil }
            await state.send(intent)
            return intent == .quit ? .quit : state.isDone ? .finished : nil
        }
    }
}
