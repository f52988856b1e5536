internal import Descant
internal import Foundation

/// A player in real time, created as by a host, whose blocks and events are recorded.
struct RealTimePlayer {
    let engine: any MixingEngine
    let player: AudioPlayerService
    let blocks = BlockLog()
    let events: EventLog

    static let configuration = PlayerConfiguration(crossfadeDuration: 0, stopFadeDuration: 0)

    init(_ output: BenchOutput) throws {
        let environment = AudioEnvironment.shared
        let blocks = blocks
        let destination: OutputDestination =
            switch output {
            case .null: .callback(.realTime) { blocks.take($0) }
            case .pulse: .pulse()
            }
        engine = try environment.makeEngine(output: destination, format: BenchOutput.format)
        player = AudioPlayerService(engine: engine)
        events = EventLog(engine)
    }

    /// The first frame from a frame on that is not silent.
    func firstSound(from frame: Int64) async throws -> Int64 {
        let limit = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < limit {
            if let sound = blocks.firstSound(from: frame, channels: engine.mixFormat.channels) { return sound }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw BenchError.failed("nothing sounded within 10 s after frame \(frame)")
    }

    /// The time when a frame arrived at the null output.
    func arrival(of frame: Int64) async throws -> Int64 {
        let limit = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < limit {
            if let time = blocks.arrival(of: frame) { return time }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw BenchError.failed("frame \(frame) did not come out within 10 s")
    }
}
