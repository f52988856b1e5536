internal import Descant
internal import Foundation

/// Where real-time measurements play to.
enum BenchOutput: String {
    case null
    case pulse

    /// The shape of the mix: stereo at the rate of the variable RATE, 48 kHz without it.
    static var format: PCMFormat {
        let rate = ProcessInfo.processInfo.environment["RATE"].flatMap { Int($0) } ?? 48_000
        return PCMFormat(sampleRate: rate, channels: 2)
    }

    /// When the process was started, on the monotonic clock: the variable BENCH_T0, else the
    /// moment of the first look.
    static let processStart = ProcessInfo.processInfo.environment["BENCH_T0"].flatMap { Int64($0) } ?? now

    /// Nanoseconds on the monotonic clock.
    static var now: Int64 { Int64(MonotonicClock().now()) }
}
