/// Where a controller keeps which engine was selected, from one run of a program to the next.
public protocol EngineSelection: Sendable {
    /// The engine that was selected last; `nil` when none was.
    ///
    /// - Throws: Why it cannot be told; the controller then goes on as if none was.
    func load() throws -> String?

    /// Keeps the selected engine.
    ///
    /// - Parameter identifier: The engine.
    /// - Throws: Why it cannot be kept; the engine is selected all the same.
    func save(_ identifier: String) throws
}
