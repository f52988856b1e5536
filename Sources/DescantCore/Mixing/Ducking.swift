public import Foundation

/// The depth and times of ducking: a layer becomes quieter while another one sounds.
///
/// The level moves in a straight line of decibels. Times are those of the output's timeline; every value is clamped
/// to its range, when the ducking is created or decoded and on every change.
public struct Ducking: Sendable, Hashable, Codable {
    /// Decibels by which the level is lowered, 0…60.
    public var amount: Double { didSet { amount = Self.clamp(amount, 0...60) } }
    /// Seconds in which it is lowered by ``amount``, 0.01…10; begins with the first frame of what it makes way for.
    public var attack: TimeInterval { didSet { attack = Self.clamp(attack, Self.moves) } }
    /// Seconds of silence that do not count as silence yet, 0…60: short breaks do not bring the level back.
    public var hold: TimeInterval { didSet { hold = Self.clamp(hold, 0...60) } }
    /// Seconds in which the level comes back, 0.01…30; begins when the hold is over.
    public var release: TimeInterval { didSet { release = Self.clamp(release, Self.returns) } }

    private static let moves: ClosedRange<TimeInterval> = 0.01...10
    private static let returns: ClosedRange<TimeInterval> = 0.01...30

    /// Creates a ducking; values outside their range are clamped. The defaults suit speech over music.
    ///
    /// - Parameters:
    ///   - amount: Decibels by which the level is lowered, 0…60.
    ///   - attack: Seconds in which it is lowered, 0.01…10.
    ///   - hold: Seconds of silence that are bridged, 0…60.
    ///   - release: Seconds in which it comes back, 0.01…30.
    public init(
        amount: Double = 12, attack: TimeInterval = 0.2, hold: TimeInterval = 0.4, release: TimeInterval = 0.8
    ) {
        self.amount = Self.clamp(amount, 0...60)
        self.attack = Self.clamp(attack, Self.moves)
        self.hold = Self.clamp(hold, 0...60)
        self.release = Self.clamp(release, Self.returns)
    }

    /// Reads a ducking; values outside their range are clamped.
    ///
    /// - Parameter decoder: Where to read from.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            amount: try values.decode(Double.self, forKey: .amount),
            attack: try values.decode(TimeInterval.self, forKey: .attack),
            hold: try values.decode(TimeInterval.self, forKey: .hold),
            release: try values.decode(TimeInterval.self, forKey: .release))
    }

    /// NaN becomes the minimum.
    private static func clamp(_ value: Double, _ range: ClosedRange<Double>) -> Double {
        value.isNaN ? range.lowerBound : min(range.upperBound, max(range.lowerBound, value))
    }
}

/// The layers that duck a layer, and the ducking.
public struct DuckingPlan: Sendable, Hashable, Codable {
    /// The layers that it makes way for. A layer counts while a deck sounds on it: not while it is idle or paused, nor
    /// within a loop's delay.
    public var keys: Set<LayerID>
    /// How far and how quickly it makes way.
    public var ducking: Ducking

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - keys: The layers that it makes way for.
    ///   - ducking: How far and how quickly it makes way.
    public init(keys: Set<LayerID>, ducking: Ducking = Ducking()) {
        self.keys = keys
        self.ducking = ducking
    }
}
