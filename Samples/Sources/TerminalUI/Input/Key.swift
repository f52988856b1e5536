/// A key that was pressed.
public enum Key: Sendable, Hashable {
    /// A character, as typed.
    case character(Character)
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
    /// Escape, alone.
    case escape
    /// Page up.
    case pageUp
    /// Page down.
    case pageDown
    /// A key without a command.
    case unknown
}
