/// A key that was pressed.
public enum Key: Sendable, Hashable {
    /// A character, as typed.
    case character(Character)
    /// A character of a text that was pasted, which is no command.
    case pasted(Character)
    /// An arrow key.
    case up
    /// An arrow key.
    case down
    /// An arrow key.
    case left
    /// An arrow key.
    case right
    /// Return.
    case enter
    /// Tab.
    case tab
    /// Escape, alone.
    case escape
    /// Page up.
    case pageUp
    /// Page down.
    case pageDown
    /// Backspace.
    case backspace
    /// Delete.
    case delete
    /// Home.
    case home
    /// End.
    case end
    /// A letter together with Ctrl, in lower case. Those that stand for Backspace, Tab, Return, an interrupt and ``suspend`` are none.
    case control(Character)
    /// Ctrl-Z, which leaves the terminal to the shell.
    case suspend
    /// The mouse.
    case mouse(Mouse)
    /// No key: the terminal says that a text that was pasted follows.
    case beginningOfPaste
    /// No key: the terminal answers a question.
    case answer(TerminalAnswer)
    /// A key without a meaning here, such as Alt and a letter.
    case unknown
}

/// What the mouse did on a cell of the terminal.
public struct Mouse: Sendable, Hashable {
    /// What was done.
    public enum Action: Sendable, Hashable {
        /// The left button was pressed.
        case press
        /// The wheel was turned away from the person.
        case wheelUp
        /// The wheel was turned towards the person.
        case wheelDown
    }

    /// What was done.
    public var action: Action
    /// The row, from 0.
    public var row: Int
    /// The column, from 0.
    public var column: Int
}
