/// The device of a player.
public struct PlayerDevice: JSONModel {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object.
    public init(json: JSONValue) throws {
        try Self.check(json)
        self.json = json
    }

    /// The model name.
    public var model: String? { text("model") }

    /// The manufacturer.
    public var manufacturer: String? { text("manufacturer") }

    /// The software version.
    public var softwareVersion: String? { text("software_version") }

    /// The model identifier.
    public var modelId: String? { text("model_id") }

    /// The manufacturer's identifier.
    public var manufacturerId: String? { text("manufacturer_id") }

    /// The IP address.
    public var ipAddress: String? { text("ip_address") }

    /// The MAC address.
    public var macAddress: String? { text("mac_address") }

    /// Further identifiers, by type.
    public var identifiers: [String: JSONValue] { json["identifiers"]?.objectValue ?? [:] }
}

/// A protocol with which sound is sent to a player.
public struct PlayerOutput: JSONModel, Identifiable {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with output_protocol_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "output_protocol_id")
        self.json = json
    }

    /// The same as ``outputId``.
    public var id: String { outputId }

    /// Its identifier on the server.
    public var outputId: String { text("output_protocol_id") ?? "" }

    /// The name to show.
    public var name: String? { text("name") }

    /// The type, such as `airplay`.
    public var domain: String? { text("protocol_domain") }

    /// Whether it is the native protocol of the device.
    public var isNative: Bool { bool("is_native") ?? false }

    /// The priority; the lowest number is preferred.
    public var priority: Int? { int("priority") }

    /// Whether it is available.
    public var isAvailable: Bool { bool("available") ?? true }
}
