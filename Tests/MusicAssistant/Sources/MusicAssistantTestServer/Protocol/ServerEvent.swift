/// An event as every authenticated client gets it.
public struct ServerEvent: Sendable, Hashable {
    /// The kind, such as `player_updated`.
    public var name: String
    /// What it is about, if anything.
    public var objectID: String?
    /// What comes with it.
    public var data: JSON

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - name: The kind; any text, known to clients or not.
    ///   - objectID: What it is about.
    ///   - data: What comes with it.
    public init(_ name: String, objectID: String? = nil, data: JSON = .null) {
        self.name = name
        self.objectID = objectID
        self.data = data
    }

    /// The message.
    var message: JSON { ["event": .string(name), "object_id": .optional(objectID), "data": data] }
}
