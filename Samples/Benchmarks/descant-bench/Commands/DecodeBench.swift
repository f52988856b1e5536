internal import Descant
internal import Foundation

/// Decodes a file, resamples it, converts to 16 bit stereo and discards it.
struct DecodeBench {
    private let file: URL
    private let rate: Int

    init(_ arguments: inout Arguments) throws {
        file = try arguments.file()
        guard try arguments.word() == "null" else { throw BenchError.failed("decode knows the output null only") }
        rate = try arguments.integer()
    }

    func run() async throws {
        let began = BenchOutput.now
        let offline = try OfflinePlayer(writingTo: nil, sampleRate: rate)
        try await offline.player.loadPlaylist([file], configuration: RealTimePlayer.configuration)
        let frames = try await offline.renderToEnd()
        BenchReport.line(
            ("inproc_wall_s", BenchReport.decimals(Double(BenchOutput.now - began) / 1e9, 4)),
            ("out_s", BenchReport.decimals(Double(frames) / Double(rate), 4)))
    }
}

/// Keeps a processor busy for a while, for ``BusyBench``.
enum SpinBench {
    static func run(_ arguments: inout Arguments) throws {
        let end = BenchOutput.now + Int64(try arguments.number() * 1e9)
        while BenchOutput.now < end {}
    }
}
