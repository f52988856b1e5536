internal import Descant
internal import Foundation

/// The output of real-time measurements.
enum BenchOutput: String {
    case null
    case pulse

    /// The format of the mix: stereo at the sample rate in the variable RATE, by default 48 kHz.
    static var format: PCMFormat {
        let rate = ProcessInfo.processInfo.environment["RATE"].flatMap { Int($0) } ?? 48_000
        return PCMFormat(sampleRate: rate, channels: 2)
    }

    /// The start of the process on the monotonic clock: the variable BENCH_T0, or else the time of the first access.
    static let processStart = ProcessInfo.processInfo.environment["BENCH_T0"].flatMap { Int64($0) } ?? now

    /// Nanoseconds on the monotonic clock.
    static var now: Int64 { Int64(MonotonicClock().now()) }
}

/// Why a measurement cannot be made.
enum BenchError: Error {
    case usage(String)
    case failed(String)

    var message: String {
        switch self {
        case .usage(let text): text
        case .failed(let text): "descant-bench: \(text)"
        }
    }

    var status: Int32 {
        switch self {
        case .usage: 2
        case .failed: 1
        }
    }
}

/// Prints figures as key=value words, flushed line by line, because the reader may wait for them.
enum BenchReport {
    static func line(_ words: (String, String)...) {
        print(words.map { "\($0.0)=\($0.1)" }.joined(separator: " "))
        fflush(nil)
    }

    /// The median, the 95th percentile and the maximum of times in milliseconds.
    static func times(_ name: String, _ times: [Double]) {
        let times = Statistics(times)
        line(
            ("\(name)_ms", decimals(times.median ?? .nan, 1)),
            ("\(name)_95_ms", decimals(times.percentile(0.95) ?? .nan, 1)),
            ("\(name)_max_ms", decimals(times.maximum ?? .nan, 1)))
    }

    static func text(_ line: String) {
        print(line)
        fflush(nil)
    }

    static func milliseconds(_ nanoseconds: Int64) -> String { decimals(Double(nanoseconds) / 1e6, 3) }

    static func decimals(_ value: Double, _ places: Int) -> String { String(format: "%.\(places)f", value) }
}
