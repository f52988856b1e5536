internal import CPlaybinPeer
internal import Foundation

/// The same measurements with playbin, in a separate process.
struct PlaybinBench {
    private enum Measure {
        case starts(count: Int32)
        case seeks([Double])
    }

    private let measure: Measure
    private let file: URL

    init(_ name: String, _ arguments: inout Arguments) throws {
        if name == "playbin-start" {
            measure = .starts(count: Int32(try arguments.integer()))
            file = try arguments.file()
        } else {
            file = try arguments.file()
            measure = .seeks(try arguments.numbers())
        }
    }

    func run() throws {
        switch measure {
        case .starts(let count):
            var times = [Int64](repeating: 0, count: Int(count))
            guard playbin_measure_starts(file.path, count, &times) == 0 else { throw failure }
            BenchReport.line(("cold_ms", BenchReport.milliseconds(times.first ?? 0)))
            if count == 1 {
                BenchReport.line(
                    ("exec_ms", BenchReport.milliseconds(playbin_last_first_buffer() - BenchOutput.processStart)))
            }
            let warm = Statistics(times.dropFirst().map { Double($0) / 1e6 }).median ?? 0
            BenchReport.line(("warm_ms", BenchReport.decimals(warm, 3)))
        case .seeks(let positions):
            var times = [Int64](repeating: 0, count: positions.count)
            guard playbin_measure_seeks(file.path, positions, Int32(positions.count), 1000, &times) == 0 else {
                throw failure
            }
            let milliseconds = times.map { Double($0) / 1e6 }
            let statistics = Statistics(milliseconds)
            BenchReport.line(
                ("seek_ms", BenchReport.decimals(statistics.median ?? 0, 3)),
                ("seek_p95_ms", BenchReport.decimals(statistics.percentile(0.95) ?? 0, 3)),
                ("later_maximum_ms", BenchReport.decimals(Statistics(Array(milliseconds.dropFirst())).maximum ?? 0, 3)))
        }
    }

    private var failure: BenchError { .failed("playbin does not play \(file.path)") }
}
