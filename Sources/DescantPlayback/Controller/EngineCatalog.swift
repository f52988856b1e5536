public import DescantCore

/// The engines that a controller can choose among.
public protocol EngineCatalog: Sendable {
    /// The identifiers of what can be used, the preferred one first. Makes no engine and loads no plugin.
    var engines: [String] { get }

    /// Why an engine cannot be used, with the remedy; `nil` when it can. Makes no engine and loads no plugin.
    ///
    /// - Parameter identifier: The engine.
    func refusal(of identifier: String) -> String?

    /// Makes an engine. May take as long as loading a plugin does.
    ///
    /// - Parameter identifier: The engine.
    /// - Throws: Why it cannot be made.
    func makeEngine(_ identifier: String) async throws -> any MediaEngine
}
