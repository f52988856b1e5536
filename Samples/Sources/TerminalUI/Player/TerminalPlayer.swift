public import PlayerApp

/// Runs the player's view on the terminal until it ends.
@MainActor
public final class TerminalPlayer {
    private let state: AppState
    private let stage: TerminalStage

    /// Creates the view.
    ///
    /// - Parameters:
    ///   - state: What to show and to send intents to.
    ///   - environment: The process's environment, for colours and signs.
    public init(state: AppState, environment: [String: String]) {
        self.state = state
        let view = PlayerView(glyphs: .forEnvironment(environment))
        stage = TerminalStage(colors: ColorMode(environment: environment)) { screen in
            view.draw(state, on: &screen)
            _ = state.isDone
        }
    }

    /// Shows the view until the player is done, the person leaves or a signal comes. The terminal is as before then.
    ///
    /// - Parameter atEnd: Called while the view is still shown, for a fade.
    /// - Returns: Why it ended.
    public func run(atEnd: () async -> Void) async -> PlayerEnding {
        await stage.run(atEnd: atEnd) { [state] key in
            guard let key else { return state.isDone ? .finished : nil }
            guard let intent = KeyBindings.intent(for: key) else { return nil }
            await state.send(intent)
            return intent == .quit ? .quit : nil
        }
    }
}
