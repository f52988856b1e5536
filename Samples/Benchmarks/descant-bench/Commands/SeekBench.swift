internal import Descant
internal import Foundation

/// The time from the seek call to the first sample of the new position, and the sound at that position.
struct SeekBench {
    private let output: BenchOutput
    private let folder: URL
    private let file: URL
    private let positions: [Double]

    init(_ arguments: inout Arguments) throws {
        output = try arguments.choice(BenchOutput.self)
        guard try arguments.word() == "accurate" else { throw BenchError.failed("every seek is accurate; say so") }
        folder = try arguments.file()
        file = try arguments.file()
        positions = try arguments.numbers()
    }

    func run() async throws {
        let real = try RealTimePlayer(output)
        try await real.player.startPlaying(url: file, configuration: RealTimePlayer.configuration)
        _ = try await real.events.frame { kind in
            if case .deckStarted = kind { true } else { false }
        }
        try await Task.sleep(for: .seconds(1))
        var latencies: [Double] = []
        for (index, position) in positions.enumerated() {
            real.events.clear()
            real.blocks.keepSamples(output == .null)
            let called = BenchOutput.now
            BenchReport.line(("t_seek_ns", "\(called)"), ("target", BenchReport.decimals(position, 6)))
            try await real.player.seekWithFade(to: position, fadeDuration: 0)
            let returned = BenchOutput.now
            if output == .null {
                latencies.append(
                    try await capture(real, index: index, position: position, called: called, returned: returned))
            } else {
                try await Task.sleep(for: .milliseconds(2500))
            }
        }
        let statistics = Statistics(latencies)
        if let median = statistics.median, let slow = statistics.percentile(0.95) {
            BenchReport.line(
                ("seek_ms", BenchReport.decimals(median, 3)), ("seek_p95_ms", BenchReport.decimals(slow, 3)),
                ("later_maximum_ms", BenchReport.decimals(Statistics(Array(latencies.dropFirst())).maximum ?? 0, 3)))
        }
        await real.engine.shutdown()
    }

    /// Waits for the new position and writes a second of it.
    private func capture(
        _ real: RealTimePlayer, index: Int, position: Double, called: Int64, returned: Int64
    ) async throws -> Double {
        let landed = try await real.events.frame { kind in
            if case .didSeek = kind { true } else { false }
        }
        // There may be silence between the seek and the first data; it does not count as the new position.
        let frame = try await real.firstSound(from: landed)
        let latency = try await real.arrival(of: frame) - called
        try await Task.sleep(for: .milliseconds(1150))
        let format = real.engine.mixFormat
        let samples = real.blocks.samples(from: frame, frames: format.sampleRate, channels: format.channels)
        let url = folder.appendingPathComponent("seek_\(index).raw")
        try encode(samples).write(to: url)
        BenchReport.text(
            "seek k=\(index) latency_ms=\(BenchReport.milliseconds(latency)) call_ms=\(BenchReport.milliseconds(returned - called)) "
                + "pts=\(BenchReport.decimals(position, 6)) file=\(url.path)")
        return Double(latency) / 1e6
    }

    private func encode(_ samples: [Float]) -> Data {
        var data = Data(capacity: samples.count * 2)
        for sample in samples {
            let value = Int16(max(-32768, min(32767, (sample * 32768).rounded())))
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        return data
    }
}
