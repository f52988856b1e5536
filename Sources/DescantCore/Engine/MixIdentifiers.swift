/// A source opened in a ``MixingEngine``.
///
/// Never reused.
public struct DeckID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The number behind the identity.
    public let rawValue: UInt64

    /// Creates an identity; engines do this.
    ///
    /// - Parameter rawValue: A number that the engine has not used before.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// "deck 7".
    public var description: String { "deck \(rawValue)" }
}

/// A separate sound in a ``MixingEngine``: the main line, an overlay, speech, effects.
///
/// Never reused.
public struct LayerID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The number behind the identity.
    public let rawValue: UInt64

    /// Creates an identity; engines do this.
    ///
    /// - Parameter rawValue: A number that the engine has not used before.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// "layer 2".
    public var description: String { "layer \(rawValue)" }
}

/// What a layer is for.
///
/// Layers of every role mix alike; meters and policies tell them apart.
public enum LayerRole: String, Sendable, Hashable, Codable {
    /// The playlist.
    case main
    /// Sound over or under the main line, usually looped.
    case overlay
    /// A voice.
    case speech
    /// Short sounds.
    case effects
}
