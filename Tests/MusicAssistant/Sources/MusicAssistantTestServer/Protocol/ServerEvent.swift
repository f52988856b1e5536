/// An event that every authenticated client gets.
public struct ServerEvent: Sendable, Hashable {
    /// The kind, such as `player_updated`.
    public var name: String
    /// The identifier of its subject; `nil` for none.
    public var objectID: String?
    /// The data of the event.
    public var data: JSON

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - name: The kind; any text, known to clients or not.
    ///   - objectID: The identifier of its subject.
    ///   - data: The data of the event.
    public init(_ name: String, objectID: String? = nil, data: JSON = .null) {
        self.name = name
        self.objectID = objectID
        self.data = data
    }

    /// The message.
    var message: JSON { ["event": .string(name), "object_id": .optional(objectID), "data": data] }
}
