/// What other programs may do beside us while a session is active.
public struct AudioSessionOptions: OptionSet, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The options as bits.
    public let rawValue: UInt8

    /// Creates a set from bits.
    ///
    /// - Parameter rawValue: The options as bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Others go on playing. Servers on Linux mix in any case; without this option a coordinator that was told to pauses
    /// other players.
    public static let mixWithOthers = AudioSessionOptions(rawValue: 1 << 0)
    /// Others are made quieter while the session is active, and get their volume back afterwards.
    public static let duckOthers = AudioSessionOptions(rawValue: 1 << 1)

    /// "mixWithOthers,duckOthers"; empty for none.
    public var description: String {
        [(Self.mixWithOthers, "mixWithOthers"), (.duckOthers, "duckOthers")]
            .filter { contains($0.0) }.map(\.1).joined(separator: ",")
    }
}
