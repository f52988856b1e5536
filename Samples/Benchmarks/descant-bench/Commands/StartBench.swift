internal import Descant
internal import Foundation

/// From the play call to the first sample at the output.
struct StartBench {
    private let output: BenchOutput
    private let count: Int
    private let file: URL

    init(_ arguments: inout Arguments) throws {
        output = try arguments.choice(BenchOutput.self)
        count = try arguments.integer()
        file = try arguments.file()
    }

    func run() async throws {
        let real = try RealTimePlayer(output)
        var warm: [Double] = []
        for round in 0..<count {
            real.events.clear()
            let called = BenchOutput.now
            BenchReport.line(("t_play_ns", "\(called)"))
            try await real.player.startPlaying(url: file, configuration: RealTimePlayer.configuration)
            if output == .null {
                let sounded = try await firstSample(real)
                let latency = sounded - called
                if round == 0 {
                    BenchReport.line(("cold_ms", BenchReport.milliseconds(latency)))
                    BenchReport.line(("exec_ms", BenchReport.milliseconds(sounded - BenchOutput.processStart)))
                } else {
                    warm.append(Double(latency) / 1e6)
                }
                try await Task.sleep(for: .milliseconds(30))
            } else {
                try await Task.sleep(for: .milliseconds(800))
            }
            await real.player.stop(fadeDuration: 0)
            if output == .pulse { try await Task.sleep(for: .milliseconds(400)) }
        }
        if let median = Statistics(warm).median { BenchReport.line(("warm_ms", BenchReport.decimals(median, 3))) }
        await real.engine.shutdown()
    }

    private func firstSample(_ real: RealTimePlayer) async throws -> Int64 {
        let frame = try await real.events.frame { kind in
            if case .deckStarted = kind { true } else { false }
        }
        return try await real.arrival(of: frame)
    }
}
