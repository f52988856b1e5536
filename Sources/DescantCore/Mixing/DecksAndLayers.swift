public import Foundation

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

/// A separate sound in a ``MixingEngine``: the main layer, an overlay, speech, effects.
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

/// The purpose of a layer.
///
/// Layers of every role mix alike; meters and policies tell them apart.
public enum LayerRole: String, Sendable, Hashable, Codable {
    /// The playlist.
    case main
    /// Sound over or under the main layer, usually looped.
    case overlay
    /// A voice.
    case speech
    /// Short sounds.
    case effects
}

/// The description of an opened deck.
public struct DeckInfo: Sendable, Hashable {
    /// The deck's identity.
    public var id: DeckID
    /// The source's name: a path or URL.
    public var name: String
    /// Length in frames at the source's own sample rate; `nil` while unknown.
    public var frameCount: Int64?
    /// The shape of the source.
    public var sourceFormat: PCMFormat
    /// Title, duration, codec and tags.
    public var track: TrackInfo
    /// Which decoder serves it: `gstreamer`, or the identifier of a plugin's decoder.
    public var decoder: String
    /// Why this decoder was chosen, and which others were tried, for a person.
    public var decoderReason: String

    /// Creates a description; engines do this.
    ///
    /// - Parameters:
    ///   - id: The deck's identity.
    ///   - name: The source's name.
    ///   - frameCount: Length in frames of the source; `nil` while unknown.
    ///   - sourceFormat: The shape of the source.
    ///   - track: Title, duration, codec and tags.
    ///   - decoder: Which decoder serves it.
    ///   - decoderReason: Why this decoder was chosen.
    public init(
        id: DeckID, name: String, frameCount: Int64?, sourceFormat: PCMFormat, track: TrackInfo, decoder: String,
        decoderReason: String
    ) {
        self.id = id
        self.name = name
        self.frameCount = frameCount
        self.sourceFormat = sourceFormat
        self.track = track
        self.decoder = decoder
        self.decoderReason = decoderReason
    }
}

/// The state of a layer, as rendered up to now.
public struct LayerStatus: Sendable, Hashable {
    /// The activity of a layer.
    public enum Activity: String, Sendable, Hashable, Codable {
        /// No deck.
        case idle
        /// A deck sounds, or its loop delay runs.
        case playing
        /// Frozen.
        case paused
        /// Fading out towards idle.
        case stopping
    }

    /// The layer's activity.
    public var activity: Activity
    /// The deck that counts as the present one: during a crossfade the incoming one.
    public var deck: DeckID?
    /// The present deck's heard position, in seconds.
    public var position: TimeInterval
    /// The position that the present deck is rendered from next, in seconds: ahead of ``position`` by what the device has
    /// not played yet.
    public var renderedPosition: TimeInterval
    /// The present deck's length in seconds; `nil` while unknown.
    public var duration: TimeInterval?
    /// Whether a crossfade is running.
    public var isCrossfading: Bool
    /// Seconds of the running crossfade that are left, on the output's timeline.
    public var crossfadeRemaining: TimeInterval
    /// Seconds until the listener hears the layer begin to stop as planned; `nil` when no stop is planned.
    public var plannedStopRemaining: TimeInterval?

    /// Creates a status; engines do this.
    ///
    /// - Parameters:
    ///   - activity: What the layer is doing.
    ///   - deck: The present deck.
    ///   - position: The present deck's heard position, in seconds.
    ///   - duration: The present deck's length in seconds.
    ///   - isCrossfading: Whether a crossfade is running.
    ///   - crossfadeRemaining: Seconds of the running crossfade that are left.
    ///   - plannedStopRemaining: Seconds until the planned stop.
    ///   - renderedPosition: The position that is rendered next, in seconds; `nil` for the heard one.
    public init(
        activity: Activity, deck: DeckID?, position: TimeInterval, duration: TimeInterval?, isCrossfading: Bool,
        crossfadeRemaining: TimeInterval, plannedStopRemaining: TimeInterval? = nil,
        renderedPosition: TimeInterval? = nil
    ) {
        self.activity = activity
        self.deck = deck
        self.position = position
        self.renderedPosition = renderedPosition ?? position
        self.duration = duration
        self.isCrossfading = isCrossfading
        self.crossfadeRemaining = crossfadeRemaining
        self.plannedStopRemaining = plannedStopRemaining
    }
}
