/// A device that sound goes to or comes from.
public struct AudioDevice: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name by which the server knows it, with the port in use where it has several: `alsa_output.pci#headphones`.
    public var identifier: String
    /// A name for people.
    public var name: String

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - identifier: The name by which the server knows it.
    ///   - name: A name for people; `nil` for the identifier.
    public init(_ identifier: String, name: String? = nil) {
        self.identifier = identifier
        self.name = name ?? identifier
    }

    /// The name by which the server knows it.
    public var description: String { identifier }
}
