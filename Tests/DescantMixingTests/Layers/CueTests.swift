import DescantCore
import DescantTesting
import Dispatch
import Synchronization
import Testing

/// Cues of a source, which are reported when they sound.
struct CueTests {
    /// A source of 1,000 frames. It notices its end only at the next read, as a synthesizer does. That read waits for the
    /// test, however long that takes.
    private final class LateSource: LivePCMSource {
        let name = "late"
        let format = PCMFormat(sampleRate: 8_000, channels: 1)
        let frameCount: Int64? = nil
        let mayEnd = DispatchSemaphore(value: 0)
        private let state = Mutex((left: 1_000, cues: [PCMCue(frame: 0, number: 1)]))

        func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
            let count = state.withLock { state in
                let count = min(maxFrames, state.left)
                state.left -= count
                return count
            }
            buffer.update(repeating: 0.5, count: count)
            guard count == 0 else { return count }
            mayEnd.wait()
            state.withLock { $0.cues.append(PCMCue(frame: 999, number: 2)) }
            return 0
        }

        func seek(toFrame frame: Int64) throws { throw CoreError.unsupported("late") }

        func takeCues() -> [PCMCue] {
            state.withLock { state in
                defer { state.cues = [] }
                return state.cues
            }
        }
    }

    @Test func cueOnTheLastFrameIsReported() async throws {
        let manual = ManualMixingEngine.offline(format: PCMFormat(sampleRate: 8_000, channels: 1))
        let engine = manual.engine
        let events = engine.mixEvents.buffered(.bounded(100)).numbered
        let source = LateSource()
        let deck = try await engine.openDeck(.pcm(source), gain: 1, isClip: false)
        try await engine.play(deck.id, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        #expect(try await engine.advance(frames: 1_000, untilIdle: nil) == 1_000)
        source.mayEnd.signal()
        _ = try await engine.advance(frames: 8_000, untilIdle: engine.mainLayer)
        await engine.shutdown()
        var told: [String] = []
        for await event in events {
            switch event.event.kind {
            case .cue(_, let number): told.append("cue \(number) at \(event.event.frame)")
            case .deckEnded: told.append("end at \(event.event.frame)")
            default: continue
            }
        }
        #expect(told == ["cue 1 at 0", "cue 2 at 999", "end at 1000"])
    }
}
