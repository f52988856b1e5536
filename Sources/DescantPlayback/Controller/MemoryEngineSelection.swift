internal import Synchronization

/// Keeps the selected engine for as long as the process lives.
public final class MemoryEngineSelection: EngineSelection {
    private let selected: Mutex<String?>

    /// Creates it.
    ///
    /// - Parameter identifier: The engine that is selected at first; `nil` for none.
    public init(_ identifier: String? = nil) { selected = Mutex(identifier) }

    /// The engine that was selected last.
    public func load() -> String? { selected.withLock { $0 } }

    /// Keeps the selected engine.
    ///
    /// - Parameter identifier: The engine.
    public func save(_ identifier: String) { selected.withLock { $0 = identifier } }
}
