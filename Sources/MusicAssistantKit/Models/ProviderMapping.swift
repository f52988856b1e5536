/// One place where an item can be had.
public struct ProviderMapping: JSONModel {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with item_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "item_id")
        self.json = json
    }

    /// What the provider calls it.
    public var itemId: String { text("item_id") ?? "" }

    /// The kind of provider.
    public var domain: String { text("provider_domain") ?? "" }

    /// The provider.
    public var instance: String { text("provider_instance") ?? "" }

    /// Whether it can be had now.
    public var isAvailable: Bool { bool("available") ?? true }

    /// Its address there.
    public var url: String? { text("url") }

    /// How its sound is coded there.
    public var audioFormat: MediaAudioFormat? { model("audio_format") }

    /// Whether it is in the library of the provider; nil when that is not known.
    public var isInLibrary: Bool? { bool("in_library") }

    /// Whether only this provider has it; nil when that is not known.
    public var isUnique: Bool? { bool("is_unique") }

    /// What the provider adds.
    public var details: String? { text("details") }
}
