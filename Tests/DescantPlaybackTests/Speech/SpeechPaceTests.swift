import DescantCore
import DescantPlayback
import DescantTestSupport
import DescantTesting
import Foundation
import Synchronization
import Testing

/// Synthesizers that take their time, against a device whose time is the same clock's.
@Suite(.timeLimit(.minutes(5)))
struct SpeechPaceTests {
    /// The frames of one step of the device, and of the clock.
    private static let step = 160

    private struct Run {
        var samples: [Float]
        var states: [EngineState]

        /// Whether speech was awaited after its beginning.
        var hasStalled: Bool { states.drop { $0 != .playing }.contains(.buffering) }
    }

    /// Speaks a text to its end.
    private func speak(_ text: String, realTimeFactor: Double) async throws -> Run {
        let clock = ManualClock()
        let manual = ManualMixingEngine.realTime(format: SpeechSession.format)
        let synthesizer = PacedSynthesizer(realTimeFactor: realTimeFactor, clock: clock)
        let engine = SpeechEngine(
            identifier: "paced", synthesizer: synthesizer, mixer: manual.engine, settings: SpeechSession.settings,
            clock: clock)
        let states = EventRecorder(engine.stateUpdates)
        try await engine.loadContent(.text(text, language: nil))
        try await engine.play()
        var silent = 0
        while await engine.engineState != .finished, !Task.isCancelled {
            // The synthesizer gains no time while the mixer begins with its first sound.
            if !synthesizer.hasBegun || manual.output.isStarted {
                clock.advance(seconds: Double(Self.step) / 8_000)
                await synthesizer.finishDueWork()
            }
            // The thread that reads ahead for the device runs meanwhile.
            for _ in 0..<20 { await Task.yield() }
            let rendered = await manual.output.step(frames: Self.step)
            let isSilent = manual.rendered.samples.suffix(rendered).allSatisfy { $0 == 0 }
            let isPlaying = await engine.engineState == .playing
            silent = isSilent && isPlaying ? silent + rendered : 0
            // Behind a pause, silence is speech that is missing.
            if silent > SpeechSession.margin + SpeechSession.pause {
                try await states.wait { (all: [EngineState]) in all.last != .playing }
            }
        }
        try await states.wait { (all: [EngineState]) in all.last == .finished }
        let run = Run(samples: manual.rendered.samples, states: states.all)
        await engine.shutdown()
        return run
    }

    private static func sentences(_ count: Int) -> [String] {
        (1...count).map { "Alpha beta gamma delta epsilon zeta eta theta, number \($0)." }
    }

    @Test func synthesizerFasterThanSpeechNeverStalls() async throws {
        let sentences = Self.sentences(10)
        let expected = try await SpeechSession.sound(sentences)
        var run: Run?
        // Threads of a busy machine may come later than steps that take no time; the test then tries again.
        for _ in 0..<10 where run?.hasStalled ?? true {
            run = try await speak(sentences.joined(separator: " "), realTimeFactor: 0.75)
        }
        let steady = try #require(run)
        #expect(steady.states == [.idle, .loading, .ready, .buffering, .playing, .finished])
        let first = try #require(steady.samples.firstIndex { $0 != 0 })
        #expect(Array(steady.samples[first...].prefix(expected.count)) == expected)
        // The pause, the silence that is left behind a sentence, and a sample at a zero of a tone.
        let longest = SilenceAnalysis.longest(in: SampleBuffer(format: SpeechSession.format, samples: expected))
        #expect(longest.count <= SpeechSession.pause + SpeechSession.margin + 1)
    }

    @Test func synthesizerSlowerThanSpeechIsTold() async throws {
        let sentences = Self.sentences(4)
        let run = try await speak(sentences.joined(separator: " "), realTimeFactor: 1.3)
        // It was awaited and heard again. Behind the last sound, the device may ask before the end is known.
        #expect(run.hasStalled && run.states.count { $0 == .playing } > 1, "\(run.states)")
        #expect(run.states.last == .finished)
        // Waiting loses nothing of the sound.
        let expected = try await SpeechSession.sound(sentences)
        #expect(run.samples.filter { $0 != 0 } == expected.filter { $0 != 0 })
    }
}

/// A synthesizer that speaks tones in chunks of 0.8 s, each of which takes time on a clock.
private final class PacedSynthesizer: SpeechSynthesizer {
    private static let chunkFrames = 6_400

    private let base = ToneSynthesizer(concurrency: 1)
    private let realTimeFactor: Double
    private let clock: ManualClock
    /// Whether a chunk was sent, and when the present one is due; `nil` while there is none.
    private let state = Mutex((hasBegun: false, due: nil as UInt64?))

    /// - Parameter realTimeFactor: The time that sound takes to be made, relative to its length.
    init(realTimeFactor: Double, clock: ManualClock) {
        self.realTimeFactor = realTimeFactor
        self.clock = clock
    }

    var capabilities: SpeechCapabilities { base.capabilities }

    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Waits until every chunk was sent that is due.
    func finishDueWork() async {
        while let due = state.withLock({ $0.due }), due <= clock.now(), !Task.isCancelled { await Task.yield() }
    }

    func voices() async throws -> [SpeechVoice] { try await base.voices() }

    func shutdown() async { await base.shutdown() }

    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        let start = clock.now()
        state.withLock { $0.due = start }
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: SpeechChunk.self)
        let task = Task {
            do {
                var due = start
                for chunk in try await chunks(of: request) {
                    due += UInt64(Double(chunk.samples.count) / Double(chunk.sampleRate) * realTimeFactor * 1e9)
                    state.withLock { $0.due = due }
                    if due > clock.now() { try await clock.sleep(until: due) }
                    continuation.yield(chunk)
                    state.withLock { $0 = (true, nil) }
                }
                continuation.finish()
            } catch {
                state.withLock { $0.due = nil }
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func chunks(of request: SpeechRequest) async throws -> [SpeechChunk] {
        var whole = SpeechChunk(samples: [], sampleRate: ToneSynthesizer.sampleRate)
        for try await chunk in base.synthesize(request) {
            whole.samples += chunk.samples
            whole.marks += chunk.marks
        }
        return stride(from: 0, to: whole.samples.count, by: Self.chunkFrames).map { start in
            let range = start..<min(start + Self.chunkFrames, whole.samples.count)
            var chunk = SpeechChunk(samples: Array(whole.samples[range]), sampleRate: whole.sampleRate)
            chunk.marks = whole.marks.filter { range.contains(Int($0.frame)) }
            return chunk
        }
    }
}
