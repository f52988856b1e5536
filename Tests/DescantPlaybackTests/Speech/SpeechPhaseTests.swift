import DescantCore
import DescantPlayback
import DescantTestSupport
import DescantTesting
import Synchronization
import Testing

/// What is told of the work before sound: phases, loaded voices, synthesizers that hang.
@Suite(.timeLimit(.minutes(2)))
struct SpeechPhaseTests {
    /// Loads its voice when a test lets it, with the error that the test gives; it can stop answering.
    private final class SlowVoice: SpeechSynthesizer {
        let capabilities = ToneSynthesizer().capabilities
        let loaded = Promise<CoreError?>()
        let requests = Mutex(0)
        private let hangs: Bool

        init(hangs: Bool = false) { self.hangs = hangs }

        func voices() async throws -> [SpeechVoice] {
            if hangs { await Promise<Void>().value }
            return []
        }

        func shutdown() async { if hangs { await Promise<Void>().value } }

        func prepare(_ request: SpeechRequest) async throws {
            if let error = await loaded.value { throw error }
        }

        func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
            requests.withLock { $0 += 1 }
            guard hangs else { return ToneSynthesizer().synthesize(request) }
            // Not even cancellation ends the wait for the first chunk.
            return AsyncThrowingStream { await Promise<SpeechChunk?>().value }
        }
    }

    private func engine(_ voice: SlowVoice, limit: Double = 60) -> (SpeechEngine, EventRecorder<SpeechEvent>) {
        let engine = SpeechEngine(
            identifier: "slow", synthesizer: voice,
            mixer: ManualMixingEngine.offline(format: SpeechSession.format).engine, synthesisLimit: limit)
        return (engine, EventRecorder(engine.events))
    }

    @Test func loadingAVoiceIsAPhaseAndHasAnOutcome() async throws {
        let voice = SlowVoice()
        let (engine, events) = engine(voice)
        try await engine.loadContent(.text("Alpha.", language: nil))
        #expect(await engine.engineProgress.phase == .loadingModel)
        voice.loaded.resolve(nil)
        try await events.wait { $0.kind == .phase(nil) }
        #expect(events.all.map(\.kind) == [.phase(.loadingModel), .prepared(nil), .phase(nil)])
        #expect(await engine.engineProgress.phase == nil)
    }

    @Test func aVoiceThatCannotBeLoadedIsTold() async throws {
        let voice = SlowVoice()
        let (engine, events) = engine(voice)
        try await engine.loadContent(.text("Alpha.", language: nil))
        voice.loaded.resolve(.ioError("no memory"))
        try await events.wait { $0.kind == .prepared(.ioError("no memory")) }
        #expect(await engine.engineState == .ready)
    }

    @Test func awaitedSoundIsAPhase() async throws {
        let session = SpeechSession(realTime: true)
        session.synthesizer.hold()
        try await session.speak("Alpha beta.")
        try await session.events.wait { $0.kind == .phase(.generating) }
        session.synthesizer.release()
        await session.manual.output.stepUntil { await session.engine.engineState == .finished }
        #expect(await session.engine.engineProgress.phase == nil)
    }

    @Test func aSynthesizerThatHangsFailsOnce() async throws {
        let voice = SlowVoice(hangs: true)
        voice.loaded.resolve(nil)
        let (engine, events) = engine(voice, limit: 0.05)
        try await engine.loadContent(.text("Alpha.", language: nil))
        let error = await #expect(throws: CoreError.self) { try await engine.play() }
        #expect(error?.message.contains("slow: the synthesizer hangs: it sent nothing within 0.05 s") == true)
        try await events.wait { if case .failed = $0.kind { true } else { false } }
        #expect(voice.requests.withLock { $0 } == 1)
    }

    @Test func aVoiceThatIsNeverLoadedIsGivenUp() async throws {
        let (engine, events) = engine(SlowVoice(), limit: 0.05)
        try await engine.loadContent(.text("Alpha.", language: nil))
        try await events.wait { if case .prepared(.some) = $0.kind { true } else { false } }
        try await events.wait { $0.kind == .phase(nil) }
    }

    @Test func aSynthesizerThatHangsDelaysNoCallForEver() async throws {
        let (engine, _) = engine(SlowVoice(hangs: true), limit: 0.05)
        let error = await #expect(throws: CoreError.self) { try await engine.voices() }
        #expect(error?.message.contains("slow: the voices were not listed: no result within 0.05 s") == true)
        await engine.shutdown()
    }

    // MARK: Ranges

    @Test func rangesAreConverted() {
        let ranges = TextRanges("Zoë 🇫🇷 naïve")
        #expect(ranges[utf8: 0..<4] == "Zoë" && ranges[utf8: 14..<20] == "naïve")
        #expect(ranges.characters(ofUTF8: 14..<20) == 6..<11)
        #expect(ranges.utf8(ofCharacters: 6..<11) == 14..<20)
        #expect(ranges.utf8(ofCharacters: 4..<5) == 5..<13)
        #expect(ranges[utf8: 18..<99] == "ve" && ranges[utf8: 50..<60].isEmpty)
        #expect(ranges.utf8(ofCharacters: 9..<40) == 18..<20 && ranges.utf8(ofCharacters: 40..<41) == 20..<20)
        #expect(ranges.characters(ofUTF8: 30..<31) == 11..<11)
    }
}
