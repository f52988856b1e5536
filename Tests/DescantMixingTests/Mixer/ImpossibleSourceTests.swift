import DescantCore
import DescantTesting
import Synchronization
import Testing

/// Sources that announce impossible values, none of which may cause a trap.
@Suite(.timeLimit(.minutes(1))) struct ImpossibleSourceTests {
    static let counts: [Int64] = [.max, .max - 1, .min, -1, 1 << 40, 1 << 62, 1_000_000_000_000_000]

    /// PCM with arbitrary length and cues.
    private final class Liar: PCMSource {
        let name = "liar"
        let format: PCMFormat
        let frameCount: Int64?
        private let left = Mutex(20_000)
        private let cues: Mutex<[PCMCue]>

        init(frames: Int64?, rate: Int, cues: [Int64] = []) {
            frameCount = frames
            format = PCMFormat(sampleRate: rate, channels: 2)
            self.cues = Mutex(cues.map { PCMCue(frame: $0, number: 1) })
        }

        func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) -> Int {
            left.withLock { left in
                let count = min(left, maxFrames)
                left -= count
                for index in 0..<count * 2 { buffer[index] = 0.25 }
                return count
            }
        }

        func seek(toFrame frame: Int64) { left.withLock { $0 = 20_000 } }

        func takeCues() -> [PCMCue] {
            cues.withLock { cues in
                defer { cues = [] }; return cues
            }
        }
    }

    /// Plays a source on a device that a test drives, so that nothing waits for a decision.
    private func play(_ source: Liar, join: DeckJoin, jumps: Bool) async throws -> SampleBuffer {
        let manual = ManualMixingEngine.realTime()
        let engine = manual.engine
        let main = engine.mainLayer
        let deck = try await engine.openDeck(.pcm(source), gain: 1, isClip: false)
        try await engine.play(deck.id, on: main, entry: .fadeIn(0.01, curve: .linear), loop: nil)
        let next = try await engine.openDeck(
            .pcm(SampleSource(TestSignal.noise(seconds: 0.1).samples())), gain: 1, isClip: false)
        try await engine.setFollowUp(.deck(next.id, join), on: main)
        await manual.output.step(frames: 480)
        if jumps {
            try await engine.seek(main, to: 1e12, fade: 0)
            await manual.output.step(frames: 960)
            try? await engine.seek(main, to: 0, fade: 0)
            try? await engine.setRate(2, of: main)
        }
        let status = await engine.status(of: main)
        #expect([status.position, status.renderedPosition, status.duration ?? 0].allSatisfy { $0.isFinite && $0 >= 0 })
        await manual.output.step(frames: 1_440)
        let rendered = manual.rendered
        await engine.shutdown()
        return rendered
    }

    @Test(arguments: counts, [44_100, 48_000])
    func impossibleLengthsAreIgnored(frames: Int64, rate: Int) async throws {
        for (join, jumps) in [(DeckJoin.gapless, true), (.crossfade(.infinity, curve: .linear), false)] {
            let rendered = try await play(Liar(frames: frames, rate: rate), join: join, jumps: jumps)
            #expect(rendered.samples.allSatisfy { $0.isFinite })
        }
    }

    @Test(arguments: [48_000, 8_000])
    func cuesBeyondTheEndAreIgnored(rate: Int) async throws {
        let source = Liar(frames: nil, rate: rate, cues: [.min, -1, 0, .max - 1, .max])
        _ = try await play(source, join: .gapless, jumps: false)
        let short = Liar(frames: 100, rate: rate, cues: [.max])
        #expect(try await play(short, join: .gapless, jumps: false).frameCount == 1_920)
    }

    @Test(arguments: [0, -1, 1_536_001, Int.max])
    func impossibleSampleRatesAreRefused(rate: Int) async throws {
        let manual = ManualMixingEngine.offline()
        let error = await #expect(throws: CoreError.self) {
            try await manual.engine.openDeck(.pcm(Liar(frames: 100, rate: rate)), gain: 1, isClip: false)
        }
        #expect(error?.message.contains("liar") == true)
        #expect(error?.message.contains("\(rate) Hz") == true)
        await manual.engine.shutdown()
    }
}
