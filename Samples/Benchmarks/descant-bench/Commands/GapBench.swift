internal import Descant
internal import Foundation

/// A gapless playlist into a file of bare samples.
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
        Report.line(("samples", "\(try await offline.renderToEnd())"))
    }
}
