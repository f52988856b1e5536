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
    /// Backspace.
    case backspace
    /// Delete.
    case delete
    /// Home.
    case home
    /// End.
    case end
    /// A key without a meaning here, such as Alt and a letter.
    case unknown
}
