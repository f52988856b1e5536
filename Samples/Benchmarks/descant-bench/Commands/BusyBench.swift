internal import Descant
internal import DescantTestSupport
internal import DescantTesting
internal import Foundation

/// Plays to a private sound server with the default buffer while four loops keep the processors busy, and counts the
/// frames that are missing in the recording of the server's monitor.
struct BusyBench {
    private static let loops = 4
    private let seconds: Double

    init(_ arguments: inout Arguments) throws {
        seconds = try arguments.number()
        guard (0.5...3_600).contains(seconds) else { throw BenchError.failed("busy: use 0.5 to 3600 seconds") }
    }

    func run() async throws {
        let server = try PrivatePulseServer()
        let engine = try AudioEnvironment.shared.makeEngine(output: .pulse(server: server.address))
        let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
        let frames = Int(seconds * 48_000)
        let deck = try await engine.openDeck(.pcm(RampSource(frames: frames)), gain: 1, isClip: false)
        let events = engine.mixEvents.buffered(.bounded(4_096)).numbered
        let loops = try (0..<Self.loops).map { _ in try ChildProcess(ChildProcess.this, ["spin", "\(seconds + 30)"]) }
        defer { for loop in loops { loop.end() } }
        try await engine.play(deck.id, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        var starved = 0
        for await event in events {
            if case .underrun = event.event.kind { starved += 1 }
            if case .idle = event.event.kind { break }
        }
        try await recording.wait(frames: recording.frameCount + 24_000)
        await engine.shutdown()
        report(SampleBuffer(stereo: await recording.stop()), frames: frames, starved: starved)
    }

    /// An underrun is a silence inside the ramp; frames can also be missing without silence.
    private func report(_ heard: SampleBuffer, frames: Int, starved: Int) {
        let runs = RampAnalysis.runs(in: heard)
        let first = runs.firstIndex { $0.kind != .silence } ?? runs.endIndex
        let last = runs.lastIndex { $0.kind != .silence } ?? first
        let gaps = first < last ? runs[first...last].filter { $0.kind == .silence } : []
        let sounded = runs.reduce(0) { $1.sourceEnd == nil ? $0 : $0 + $1.length }
        BenchReport.line(
            ("underruns", "\(gaps.count)"),
            ("silent_ms", BenchReport.decimals(Double(gaps.map(\.length).reduce(0, +)) / 48, 1)),
            ("lost_frames", "\(frames - sounded)"), ("starved_decks", "\(starved)"))
    }
}
