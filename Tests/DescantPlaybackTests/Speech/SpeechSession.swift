import DescantCore
import DescantPlayback
import DescantTestSupport
import DescantTesting
import Foundation

/// A speech engine on the mixer in memory, and its events. The mix has the synthesizer's sample rate, so that
/// every sample is one of the synthesizer's.
struct SpeechSession {
    static let format = PCMFormat(sampleRate: ToneSynthesizer.sampleRate, channels: 1)
    /// Frames of a pause behind a sentence, and of a letter.
    static let pause = 1_600
    static let letter = 320
    /// The remaining silence after the last letter.
    static let margin = 240

    let manual: ManualMixingEngine
    let clock = ManualClock()
    let logger = RecordingLogger()
    let synthesizer: GatedSynthesizer
    let engine: SpeechEngine
    let states: EventRecorder<EngineState>
    let events: EventRecorder<SpeechEvent>

    init(
        realTime: Bool = false, synthesizer: GatedSynthesizer = GatedSynthesizer(),
        settings: SpeechSettings = SpeechSession.settings, cacheLimit: Int = 1 << 24
    ) {
        manual = realTime ? .realTime(format: Self.format) : .offline(format: Self.format)
        self.synthesizer = synthesizer
        engine = SpeechEngine(
            identifier: "tones", synthesizer: synthesizer, mixer: manual.engine, settings: settings, clock: clock,
            logger: logger, cacheLimit: cacheLimit)
        states = EventRecorder(engine.stateUpdates)
        events = EventRecorder(engine.events)
    }

    static var settings: SpeechSettings {
        SpeechSettings(pauses: SpeechPauses(clause: 0.1, sentence: 0.2, paragraph: 0.2), pauseRamp: 0)
    }

    /// Loads a text and starts speaking.
    func speak(_ text: String, language: String? = nil) async throws {
        try await engine.loadContent(.text(text, language: language))
        try await engine.play()
    }

    /// Renders a number of frames.
    @discardableResult
    func render(_ frames: Int) async throws -> Int64 {
        try await manual.engine.advance(frames: Int64(frames), untilIdle: nil)
    }

    /// Renders until the voice is silent, and waits for the engine's state.
    func finish() async throws {
        let layer = await engine.layer
        _ = try await manual.engine.advance(frames: 600 * 8_000, untilIdle: layer)
        try await wait(for: .finished)
        // Events and states have separate streams, and the event of the prepared voice may come after the end.
        // Every end is logged before it is told.
        let ends = logger.events.count { $0.name == "speech.didFinish" }
        try await events.wait { (events: [SpeechEvent]) in events.count { $0.kind == .finished } >= ends }
    }

    func wait(for state: EngineState) async throws {
        try await states.wait { (states: [EngineState]) in states.last == state }
    }

    /// The rendered samples of the voice.
    var samples: [Float] { manual.rendered.samples }

    /// The words that were heard, with their frames.
    func words(in text: String) -> [(word: String, frame: Int64)] {
        let bytes = Array(text.utf8)
        return events.all.compactMap { event in
            guard case .word(let range, _) = event.kind, let frame = event.frame else { return nil }
            return (String(decoding: bytes[range], as: UTF8.self), frame)
        }
    }

    /// Waits until a word was heard a number of times.
    func waitForWord(at offset: Int, count: Int = 1) async throws {
        try await events.wait { (events: [SpeechEvent]) in
            events.count { if case .word(let range, _) = $0.kind { range.lowerBound == offset } else { false } }
                >= count
        }
    }

    /// The expected sound of a sentence, without the silence after it.
    static func sound(_ text: String, voice: String? = nil, rate: Double = 1) async throws -> [Float] {
        var samples: [Float] = []
        for try await chunk in ToneSynthesizer().synthesize(SpeechRequest(text: text, voice: voice, rate: rate)) {
            samples += chunk.samples
        }
        let last = samples.lastIndex { abs($0) > 0.001 } ?? -1
        return Array(samples[...min(samples.count - 1, last + margin)])
    }

    /// Sentences with pauses between them.
    static func sound(_ sentences: [String]) async throws -> [Float] {
        var result: [Float] = []
        for (index, sentence) in sentences.enumerated() {
            if index > 0 { result += [Float](repeating: 0, count: pause) }
            result += try await sound(sentence)
        }
        return result
    }
}
