import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Synchronization
import Testing

/// An output that plays on while what it has not played is taken back.
private final class RewindingOutput: RewindableOutput, Sendable {
    let memory = MemoryOutput(pacing: .output, capacity: 8_192)
    let rewinds = true

    var pacing: OutputPacing { memory.pacing }
    /// Whether nothing was rendered since frames were taken back: the memory tells their number then.
    private let isTakenBack = Atomic(false)

    var pendingFrames: Int { isTakenBack.load(ordering: .relaxed) ? 0 : memory.pendingFrames }

    func configure(sampleRate: Double, channels: Int, framesPerBuffer: Int) throws {
        try memory.configure(sampleRate: sampleRate, channels: channels, framesPerBuffer: framesPerBuffer)
    }

    func start() throws { try memory.start() }
    func stop() { memory.stop() }
    func flush() { memory.flush() }

    func takeBack() -> Int {
        guard pendingFrames > 0 else { return 0 }
        memory.flush()
        isTakenBack.store(true, ordering: .relaxed)
        return memory.pendingFrames
    }

    func render(_ buffer: UnsafePointer<Float>, frameCount: Int) throws -> Int {
        let taken = try memory.render(buffer, frameCount: frameCount)
        if taken > 0 { isTakenBack.store(false, ordering: .relaxed) }
        return taken
    }
}

/// The service on an output whose queue is replaced: changes are heard from the first frame that was not.
@Suite(.timeLimit(.minutes(5))) struct ServiceRewindTests {
    private struct Bench {
        let decoder = MemoryDecoder()
        let output = RewindingOutput()
        let service: DefaultPlaybackService
        let sound = TestSignal.ramp(frames: 132_300, sampleRate: 44_100).samples()
        let url = URL(fileURLWithPath: "/music/ramp.mem")

        /// Plays 2,000 frames, with a full buffer behind them.
        init(fault: MemoryDecoder.Fault = .init()) async throws {
            decoder.register(sound, for: url, fault: fault)
            service = DefaultPlaybackService(
                decoder: decoder, audio: output, clock: ManualClock(), logger: RecordingLogger())
            try await play()
        }

        func play() async throws {
            try service.load(url: url)
            try service.play()
            try await waitForBuffer()
            output.memory.play(frames: 2_000)
        }

        func waitForBuffer() async throws {
            try await ServiceFixture.within { [output] in
                while output.pendingFrames < 8_192 {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        }

        /// The gains of all frames, beside the frames of the sound that they are to be.
        func gains(beside expected: [Float]) -> [Float] {
            zip(output.memory.content.channel(1), expected).map { $0 / $1 }
        }
    }

    @Test func volumeChangesAtTheFirstFrameThatIsNotHeard() async throws {
        let bench = try await Bench()
        bench.service.setVolume(0.5)
        try await bench.waitForBuffer()
        let gains = bench.gains(beside: bench.sound.channel(1))
        #expect(gains.count == 2_000 + 8_192)
        #expect(gains[...2_000].allSatisfy { $0 == 1 })
        #expect(gains[(2_000 + 882)...].allSatisfy { $0 == 0.5 })
        for index in 1..<gains.count { #expect(abs(gains[index] - gains[index - 1]) < 0.001) }
        #expect(bench.output.memory.startCount == 1)
    }

    /// A slider that is dragged.
    @Test func volumeChangesWithinARamp() async throws {
        let bench = try await Bench()
        for step in 1...20 {
            bench.service.setVolume(1 - Float(step) / 40)
            try await bench.waitForBuffer()
            bench.output.memory.play(frames: 441)
        }
        let gains = bench.gains(beside: bench.sound.channel(1))
        for index in 1..<gains.count { #expect(abs(gains[index] - gains[index - 1]) < 0.001) }
        #expect(gains.last == 0.5)
    }

    /// Checks a fade of 5 ms out and one in, behind the heard frames.
    private func expectFades(_ bench: Bench, to frame: Int) {
        let frames = Array(0..<2_220) + Array(frame..<(frame + 8_192 - 220))
        let gains = bench.gains(beside: frames.map { bench.sound.channel(1)[$0] })
        #expect(gains.count == frames.count)
        for (index, gain) in gains.enumerated() {
            let expected: Float =
                switch index {
                case ..<2_000: 1
                case ..<2_220: 1 - Float(index - 2_000) / 220
                case ..<2_440: Float(index - 2_220) / 220
                default: 1
                }
            #expect(abs(gain - expected) < 1e-4, "frame \(index)")
        }
        #expect(bench.output.memory.startCount == 1)
    }

    @Test func jumpFadesOutAndInWithoutANewStart() async throws {
        let bench = try await Bench()
        try bench.service.seek(to: 2)
        try await bench.waitForBuffer()
        expectFades(bench, to: 88_200)
    }

    @Test func soundGoesOnAfterAJumpThatIsRefused() async throws {
        var fault = MemoryDecoder.Fault()
        fault.refusesSeek = true
        let bench = try await Bench(fault: fault)
        #expect { try bench.service.seek(to: 2) } throws: { ($0 as? CoreError)?.code == "unsupported" }
        try await bench.waitForBuffer()
        expectFades(bench, to: 2_220)
    }
}
