import Descant
import DescantTestSupport
import DescantTesting

/// A speech engine with a real voice; a test controls the rendering. The mix has the voice's sample rate, so that every
/// sample is one of the voice.
struct SpokenSession {
    let voice: RealVoice
    let manual: ManualMixingEngine
    let synthesizer: GatedSynthesizer
    let engine: SpeechEngine
    let log = RecordingLogger()
    let events: EventRecorder<SpeechEvent>
    let states: EventRecorder<EngineState>

    static var settings: SpeechSettings {
        SpeechSettings(pauses: SpeechPauses(clause: 0.1, sentence: 0.3, paragraph: 0.6), pauseRamp: 0)
    }

    /// - Parameters:
    ///   - voice: The voice.
    ///   - registry: The registry with its bundle; by default that of this run.
    ///   - settings: The settings of the engine.
    init(
        _ voice: RealVoice, registry: PluginRegistry? = nil, settings: SpeechSettings = SpokenSession.settings
    ) throws {
        self.voice = voice
        let registry = try registry ?? SpeechBundle(voice.bundle).registry
        manual = .offline(format: PCMFormat(sampleRate: voice.sampleRate, channels: 1))
        synthesizer = GatedSynthesizer(try registry.makeSpeechSynthesizer(voice.rawValue))
        engine = SpeechEngine(
            identifier: voice.rawValue, synthesizer: synthesizer, mixer: manual.engine, settings: settings,
            logger: log)
        events = EventRecorder(reading: engine.events.buffered(.bounded(100_000)))
        states = EventRecorder(reading: engine.stateUpdates.buffered(.bounded(100_000)))
    }

    /// Speaks a text to its end. The sound stays in the cache, so that later playback is the same also for flite, whose
    /// noise is random.
    ///
    /// - Returns: The sound.
    @discardableResult
    func rehearse(_ text: String) async throws -> [Float] {
        var sound = try await hear(text)
        guard voice == .flite else { return sound }
        // A sentence is in the cache a moment after its end, and never when something else is spoken before that.
        while true {
            try Task.checkCancellation()
            let again = try await hear(text)
            if again == sound { return sound }
            sound = again
        }
    }

    /// Speaks a text to its end once.
    ///
    /// - Returns: The sound.
    func hear(_ text: String) async throws -> [Float] {
        let begun = samples.count
        try await speak(text)
        try await finish()
        return Array(samples[begun...])
    }

    /// Loads a text and starts speaking.
    func speak(_ text: String, language: String? = nil) async throws {
        try await engine.loadContent(.text(text, language: language))
        try await engine.play()
    }

    /// The sound heard so far.
    var samples: [Float] { manual.rendered.samples }

    func frames(_ seconds: Double) -> Int { Int(seconds * Double(voice.sampleRate)) }

    /// Renders a number of seconds.
    func render(_ seconds: Double) async throws { try await render(frames: frames(seconds)) }

    func render(frames: Int) async throws { _ = try await manual.engine.advance(frames: Int64(frames), untilIdle: nil) }

    /// Renders until everything was heard.
    func finish() async throws {
        let layer = await engine.layer
        while await engine.engineState != .finished {
            if case .failed(let error) = await engine.engineState { throw error }
            _ = try await manual.engine.advance(frames: Int64(frames(3_600)), untilIdle: layer)
            await Task.yield()
        }
        // As many ends as were logged: the last event may still be that of an earlier end.
        let ends = log.events.count { $0.name == "speech.didFinish" }
        try await events.wait { told in told.count { $0.kind == .finished } >= ends }
    }

    /// Waits until a word was heard.
    func waitForWord(at offset: Int) async throws {
        try await events.wait { events in
            events.contains { if case .word(let range, _) = $0.kind { range.lowerBound == offset } else { false } }
        }
    }

    /// The words that were heard after a number of events, with their frames.
    func words(in text: String, since count: Int = 0) -> [(word: String, frame: Int, isEstimated: Bool)] {
        let bytes = Array(text.utf8)
        return events.all[count...].compactMap { event in
            guard case .word(let range, let isEstimated) = event.kind, let frame = event.frame else { return nil }
            return (String(decoding: bytes[range], as: UTF8.self), Int(frame), isEstimated)
        }
    }

    var warnings: [SpeechWarning] {
        events.all.compactMap { if case .warning(let warning) = $0.kind { warning } else { nil } }
    }

    /// Ends engine and mixer.
    func end() async {
        await engine.shutdown()
        await manual.engine.shutdown()
    }
}
