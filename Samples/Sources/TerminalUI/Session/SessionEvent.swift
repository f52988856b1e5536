/// What reaches the program while the view is shown.
public enum SessionEvent: Sendable, Equatable {
    /// A key was pressed.
    case key(Key)
    /// The terminal has another size.
    case resized
    /// Time to look whether something changed.
    case tick
    /// A signal asks the program to end.
    case interrupted(Int32)
    /// The process was asked to stop (Ctrl-Z).
    case suspended
    /// The terminal's input is gone.
    case inputClosed
}
