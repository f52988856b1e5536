internal import Descant
internal import Foundation

/// Plays in real time at the file's sample rate, like the compared players, while another program measures the process.
struct RealTimeBench {
    private let output: BenchOutput
    private let seconds: Double
    private let file: URL
    /// What sounds beside it.
    private let overlay: URL?

    init(_ arguments: inout Arguments) throws {
        output = try arguments.choice(BenchOutput.self)
        seconds = try arguments.number()
        file = try arguments.file()
        overlay = arguments.isEmpty ? nil : try arguments.file()
    }

    func run() async throws {
        let destination: OutputDestination =
            switch output {
            case .null: .null
            case .pulse: .pulse()
            }
        let engine = try AudioEnvironment.shared.makeEngine(output: destination, format: try await ownFormat())
        let player = AudioPlayerService(engine: engine)
        let states = player.stateUpdates
        try await player.loadPlaylist([file], configuration: RealTimePlayer.configuration)
        if let overlay { try await player.startOverlay(url: overlay, configuration: .ambient) }
        BenchReport.line(("t_play_ns", "\(BenchOutput.now)"))
        let seconds = seconds
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await state in states where state == .finished { return } }
            group.addTask { try? await Task.sleep(for: .seconds(seconds)) }
            await group.next()
            group.cancelAll()
        }
        await engine.shutdown()
    }

    /// Stereo at the file's sample rate, or at the rate in `RATE`.
    private func ownFormat() async throws -> PCMFormat {
        if ProcessInfo.processInfo.environment["RATE"] != nil { return BenchOutput.format }
        let engine = try AudioEnvironment.shared.makeEngine(output: .discard)
        let deck = try await engine.openDeck(.url(file), gain: 1, isClip: false)
        await engine.shutdown()
        return PCMFormat(sampleRate: deck.sourceFormat.sampleRate, channels: 2)
    }
}
