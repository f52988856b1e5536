/// The device that a player is.
public struct PlayerDevice: JSONModel {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object.
    public init(json: JSONValue) throws {
        try Self.check(json)
        self.json = json
    }

    /// What its maker calls it.
    public var model: String? { text("model") }

    /// Who made it.
    public var manufacturer: String? { text("manufacturer") }

    /// The release of its software.
    public var softwareVersion: String? { text("software_version") }

    /// The number of the model.
    public var modelId: String? { text("model_id") }

    /// The number of the maker.
    public var manufacturerId: String? { text("manufacturer_id") }

    /// Its address.
    public var ipAddress: String? { text("ip_address") }

    /// The address of its network interface.
    public var macAddress: String? { text("mac_address") }

    /// What else tells it from others, by kind.
    public var identifiers: [String: JSONValue] { json["identifiers"]?.objectValue ?? [:] }
}

/// A way to send sound to a player.
public struct PlayerOutput: JSONModel, Identifiable {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with output_protocol_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "output_protocol_id")
        self.json = json
    }

    /// The same as ``outputId``.
    public var id: String { outputId }

    /// What the server calls it.
    public var outputId: String { text("output_protocol_id") ?? "" }

    /// Its name.
    public var name: String? { text("name") }

    /// Its kind, such as `airplay`.
    public var domain: String? { text("protocol_domain") }

    /// Whether it is the device's own.
    public var isNative: Bool { bool("is_native") ?? false }

    /// Lower goes first.
    public var priority: Int? { int("priority") }

    /// Whether it works now.
    public var isAvailable: Bool { bool("available") ?? true }
}
