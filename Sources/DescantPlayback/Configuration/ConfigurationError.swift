public import Foundation

/// A value of a configuration that is outside its documented range.
public enum ConfigurationError: Error, Sendable, Hashable {
    /// A crossfade is neither 0 nor 1…30 s long.
    case invalidCrossfadeDuration(TimeInterval)
    /// A volume is outside 0…100.
    case invalidVolume(Int)
    /// A repeat count is negative.
    case invalidRepeatCount(Int)
    /// A stop fade is outside 0…10 s.
    case invalidStopFadeDuration(TimeInterval)
    /// A sleep timer is set to less than 0 s or to more than a day.
    case invalidSleepDuration(TimeInterval)
    /// A speed is outside 0.5…3.
    case invalidRate(Double)
}

extension ConfigurationError: CustomStringConvertible, LocalizedError {
    /// The value and the range it should be in.
    public var description: String {
        switch self {
        case .invalidCrossfadeDuration(let seconds):
            "crossfade duration \(seconds) s: use 0 for gapless joins, or 1 to 30 s"
        case .invalidVolume(let volume): "volume \(volume): use 0 to 100"
        case .invalidRepeatCount(let count): "repeat count \(count): use 0 or more, or nil to repeat endlessly"
        case .invalidStopFadeDuration(let seconds): "stop fade duration \(seconds) s: use 0 to 10 s"
        case .invalidSleepDuration(let seconds): "sleep timer \(seconds) s: use 0 to 86400 s"
        case .invalidRate(let rate): "rate \(rate): use 0.5 to 3"
        }
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }
}
