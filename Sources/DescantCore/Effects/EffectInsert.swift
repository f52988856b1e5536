internal import Synchronization

/// Identifies an ``EffectInsert`` for as long as the process runs.
public struct EffectID: Sendable, Hashable {
    /// A number that no other insert has.
    public let rawValue: UInt64
    private static let last = Atomic<UInt64>(0)

    /// Makes a new identity.
    public init() { rawValue = Self.last.add(1, ordering: .relaxed).newValue }
}

/// An effect at a place in the mix, with the values of its parameters.
///
/// A copy with other values and the same ``id`` continues the same effect: its reverberation goes on.
public struct EffectInsert: Sendable, Identifiable {
    /// The identity of the effect in the mix.
    public let id: EffectID
    /// The name in errors and failures, such as the identifier in a registry.
    public var name: String
    /// The effect as it was made, without a preparation.
    public let effect: any AudioEffect
    /// The values by the parameters' identifiers; a parameter without one has its default. Values outside the range are clamped.
    public var values: [String: Double]
    /// Whether sound passes the effect unchanged.
    public var isBypassed: Bool

    /// Describes an insert.
    ///
    /// - Parameters:
    ///   - name: The name in errors and failures.
    ///   - effect: An effect that was just made.
    ///   - values: The values of parameters.
    ///   - isBypassed: Whether sound passes the effect unchanged.
    public init(_ name: String, _ effect: any AudioEffect, values: [String: Double] = [:], isBypassed: Bool = false) {
        id = EffectID()
        self.name = name
        self.effect = effect
        self.values = values
        self.isBypassed = isBypassed
    }
}

/// A place in the signal flow that has effects.
public enum EffectPlace: Sendable, Hashable {
    /// The sum of all layers, behind the equaliser and before the limiter.
    case mix
    /// One layer, before its pause and its gain.
    case layer(LayerID)
}

/// An effect was switched off because of what it did. Sound passes it unchanged until it is set with a new identity.
public struct EffectFailure: Sendable, Hashable {
    /// The insert.
    public var id: EffectID
    /// The insert's name.
    public var name: String
    /// What happened, for a person.
    public var reason: String

    /// Describes a failure; engines do this.
    ///
    /// - Parameters:
    ///   - id: The insert.
    ///   - name: The insert's name.
    ///   - reason: What happened.
    public init(id: EffectID, name: String, reason: String) {
        self.id = id
        self.name = name
        self.reason = reason
    }
}
