/// A value that a person can set on an ``AudioEffect``.
public struct EffectParameter: Sendable, Hashable, Codable {
    /// The name in programs and configurations; unique within an effect.
    public var identifier: String
    /// The name that a person sees.
    public var name: String
    /// The unit, such as `dB`, `Hz` or `s`; empty for a number without one.
    public var unit: String
    /// The lowest value.
    public var minimum: Double
    /// The highest value.
    public var maximum: Double
    /// The value of an effect that was just made.
    public var defaultValue: Double

    /// Describes a parameter.
    ///
    /// - Parameters:
    ///   - identifier: The name in programs and configurations.
    ///   - name: The name that a person sees; `nil` for the identifier.
    ///   - unit: The unit.
    ///   - range: The lowest and the highest value.
    ///   - defaultValue: The value of an effect that was just made.
    public init(
        _ identifier: String, name: String? = nil, unit: String = "", range: ClosedRange<Double>, defaultValue: Double
    ) {
        self.identifier = identifier
        self.name = name ?? identifier
        self.unit = unit
        minimum = range.lowerBound
        maximum = range.upperBound
        self.defaultValue = defaultValue
    }

    /// The nearest value within the range; the default for what is not a number.
    ///
    /// - Parameter value: Any value.
    public func clamp(_ value: Double) -> Double {
        value.isNaN ? defaultValue : min(maximum, max(minimum, value))
    }

    /// What is wrong with the description; `nil` for a valid one.
    package var problem: String? {
        if identifier.isEmpty { return "a parameter has no identifier" }
        guard minimum.isFinite, maximum.isFinite, minimum <= maximum, minimum...maximum ~= defaultValue else {
            return "the parameter \"\(identifier)\" has the range \(minimum)…\(maximum) and the default \(defaultValue)"
        }
        return nil
    }
}
