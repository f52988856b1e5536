internal import Foundation

/// Decibels relative to full scale.
public enum Decibels {
    /// The lowest level that is returned, in dBFS; digital silence has this level.
    public static let floor = -240.0

    /// A linear magnitude in decibels.
    ///
    /// - Parameter magnitude: Linear; the sign does not matter.
    /// - Returns: dBFS, never below ``floor``.
    public static func of(_ magnitude: Double) -> Double { max(floor, 20 * log10(max(abs(magnitude), 1e-12))) }

    /// The linear magnitude of a level.
    ///
    /// - Parameter decibels: In dBFS.
    public static func linear(_ decibels: Double) -> Double { pow(10, decibels / 20) }
}
