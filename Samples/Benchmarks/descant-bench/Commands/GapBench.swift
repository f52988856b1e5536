internal import Descant
internal import Foundation

/// Renders a gapless playlist into a file of raw samples.
struct GapBench {
    private let output: URL
    private let rate: Int
    private let files: [URL]

    init(_ arguments: inout Arguments) throws {
        output = try arguments.file()
        rate = try arguments.integer()
        files = try arguments.files()
    }

    func run() async throws {
        let offline = try OfflinePlayer(writingTo: output, sampleRate: rate)
        try await offline.player.loadPlaylist(files, configuration: RealTimePlayer.configuration)
        BenchReport.line(("samples", "\(try await offline.renderToEnd())"))
    }
}

/// The time from the call of `next`, with the next track already open, to its first sample.
struct NextBench {
    private let output: BenchOutput
    private let count: Int
    private let files: [URL]

    init(_ arguments: inout Arguments) throws {
        output = try arguments.choice(BenchOutput.self)
        guard output == .null else { throw BenchError.failed("the next track is measured at the null output") }
        count = try arguments.integer()
        files = try arguments.files()
        guard files.count > 1 else { throw BenchError.failed("two files at least are needed") }
    }

    func run() async throws {
        let real = try RealTimePlayer(output)
        let list = (0...count).map { files[$0 % files.count] }
        try await real.player.loadPlaylist(list, configuration: RealTimePlayer.configuration)
        var latencies: [Double] = []
        for _ in 0..<count {
            // Long enough to open the next track and to finish the ramp of the last change.
            try await Task.sleep(for: .milliseconds(400))
            real.events.clear()
            let called = BenchOutput.now
            try await real.player.nextTrack()
            let frame = try await real.events.frame { kind in
                if case .deckStarted = kind { true } else { false }
            }
            latencies.append(Double(try await real.arrival(of: frame) - called) / 1e6)
        }
        BenchReport.line(("next_ms", BenchReport.decimals(Statistics(latencies).median ?? .nan, 3)))
        await real.engine.shutdown()
    }
}
