public import DescantCore
internal import Foundation

/// Speaks text with any ``SpeechSynthesizer`` through a mixer, as one sound among others.
///
/// The synthesizer only turns sentences into PCM. Everything else is here: the division of the text, a queue, making ahead,
/// a cache, pause and resume to the sample, jumps by time, place, word and sentence, rate and voice at once, progress and marks
/// on the audio clock.
///
/// What is said of positions is what is heard. Offsets are UTF-8 bytes of the whole text that was handed over, or characters
/// where ``MediaPosition/characterOffset(_:)`` asks for them. Calls may come from any task; the last of several
/// jumps wins, and nothing of the earlier ones is heard.
public actor SpeechEngine: EngineProgressReporting, SelfLimitingEngine {
    /// The state that the last command asks for.
    enum DesiredState { case stopped, speaking, paused }

    /// The engine's name, as a rule the synthesizer's.
    public nonisolated let identifier: String
    let mixer: any MixingEngine
    let logger: any LoggerPort
    let scheduler: SynthesisScheduler
    let script = SharedScript()
    nonisolated let hubs = SpeechHubs()
    let commandQueue = AsyncSerialQueue()

    /// The settings of the voice and the pauses; changed with ``apply(_:)``.
    public internal(set) var settings: SpeechSettings
    var desiredState = DesiredState.stopped
    var output = SpeechOutput()
    var position = SpeechPosition()
    var jumps = SpeechJumps()
    /// The number of voices that are being loaded ahead of their first sound.
    private var preparations = 0
    private var reportedPhase: EngineProgress.Phase?

    /// Creates an engine.
    ///
    /// - Parameters:
    ///   - identifier: A short stable name, such as that of the synthesizer: `espeak`.
    ///   - synthesizer: What turns sentences into sound; the engine shuts it down.
    ///   - mixer: Where it sounds; its owner shuts it down after the engine.
    ///   - settings: How texts are spoken.
    ///   - clock: Measures the time between attempts.
    ///   - logger: Where the engine writes what it does.
    ///   - cacheLimit: Bytes of sound that are kept for being heard again.
    ///   - synthesisLimit: How long the synthesizer may send nothing before its request fails, in seconds; more than 0.
    public init(
        identifier: String, synthesizer: any SpeechSynthesizer, mixer: any MixingEngine,
        settings: SpeechSettings = SpeechSettings(), clock: any ClockPort = MonotonicClock(),
        logger: any LoggerPort = NoopLogger(), cacheLimit: Int = 32 << 20, synthesisLimit: Double = 60
    ) {
        self.identifier = identifier
        self.mixer = mixer
        self.settings = settings.limited
        self.logger = logger
        scheduler = SynthesisScheduler(
            synthesizer, engine: identifier, clock: clock, logger: logger, cacheLimit: cacheLimit,
            limit: synthesisLimit)
    }

    deinit {
        output.listener?.cancel()
        jumps.cancel()
        output.stream?.abandon()
        scheduler.cancelAll()
    }

    /// Speaks text, seeks, changes its rate.
    public nonisolated var capabilities: EngineCapabilities { [.speaksText, .seeks, .changesRate] }

    // MARK: State

    /// Every change of state; begins with the present one.
    public nonisolated var stateUpdates: EventStream<EngineState> { hubs.state.stream(buffer: .bounded(64)) }

    /// Sentences, words and ends of utterances as they are heard, and what becomes of the voice.
    public nonisolated var events: EventStream<SpeechEvent> { hubs.events.stream(buffer: .bounded(1_024)) }

    /// What the engine is doing.
    public var engineState: EngineState { hubs.state.snapshot ?? .idle }

    /// The layer of the mixer that speaks; others can be ducked under it.
    public var layer: LayerID {
        get async {
            if let layer = output.layer { return layer }
            return await commandQueue.run {
                if let layer = output.layer { return layer }
                let added = await mixer.addLayer(.speech)
                output.layer = added
                return added
            }
        }
    }

    /// The voices of the synthesizer.
    ///
    /// - Throws: ``CoreError/ioError(underlying:)`` when they cannot be listed, or not within the limit for synthesis.
    public func voices() async throws -> [SpeechVoice] { try await scheduler.voices() }

    /// What the synthesizer can do.
    public nonisolated var synthesizerCapabilities: SpeechCapabilities { scheduler.capabilities }

    func setState(_ new: EngineState) {
        guard hubs.state.snapshot != new else { return }
        hubs.state.post(new)
        reportPhase()
    }

    /// What is done before sound can come out: loading a voice, or making sound that is awaited. `nil` when nothing is.
    var phase: EngineProgress.Phase? {
        if engineState == .playing { return nil }
        if preparations > 0 { return .loadingModel }
        return engineState == .buffering ? .generating : nil
    }

    private func reportPhase() {
        guard phase != reportedPhase else { return }
        reportedPhase = phase
        hubs.events.post(SpeechEvent(frame: nil, kind: .phase(phase)))
    }

    // MARK: Text

    /// Takes a text and waits at its beginning; what was there before is stopped and forgotten.
    ///
    /// Text without anything to speak is not an error: playing it finishes at once.
    ///
    /// - Parameter content: A text.
    /// - Throws: ``CoreError/unsupported(_:)`` for anything else; the engine then has no text.
    public func loadContent(_ content: MediaContent) async throws {
        // A `play()` while the layer is stopped would begin the text that is forgotten here.
        repeat { await halt() } while desiredState != .stopped
        script.withScript { $0.forgetText(pauses: settings.pauses) }
        switch content {
        case .url(let url):
            let name = AudioSource.url(url).name
            let error = CoreError.unsupported("\(identifier) speaks text; \(name) needs an engine that plays sound")
            setState(.failed(error))
            throw error
        case .text(let text, let language):
            setState(.loading)
            add(text, language: language)
        }
        position.cursor = .start(of: 0)
        position.restart(at: 0)
        setState(.ready)
        prepareVoice()
    }

    /// Adds a text behind what there is to speak; it is spoken when its turn comes. An engine that is not speaking stays silent.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - language: Its language as a BCP 47 tag; `nil` for that of the settings.
    /// - Returns: The utterance, as ``SpeechEvent/Kind-swift.enum/utteranceEnded(_:)`` tells of it.
    @discardableResult
    public func enqueue(_ text: String, language: String? = nil) async -> SpeechUtterance {
        let end = script.withScript { $0.segments.count }
        let hasFinished = engineState == .finished
        let hasText = script.withScript { !$0.utterances.isEmpty }
        let utterance = add(text, language: language)
        position.textWasAdded()
        if hasFinished || !hasText {
            position.cursor = .start(of: end)
            position.restart(at: seconds(at: position.cursor))
            position.nextUtterance = utterance.number
        }
        // A text that was stopped waits at its beginning.
        if engineState == .idle || hasFinished || !hasText {
            setState(.ready)
            prepareVoice()
        }
        return utterance
    }

    /// The utterances that were handed over, in order.
    public var utterances: [SpeechUtterance] { script.withScript { $0.utterances } }

    /// The whole text, to which the offsets of events belong.
    public var text: String { script.withScript { String(decoding: $0.bytes, as: UTF8.self) } }

    @discardableResult
    private func add(_ text: String, language: String?) -> SpeechUtterance {
        let limit = max(1, scheduler.capabilities.longestRequest)
        let rules = language ?? settings.language
        let (utterance, isEmpty) = script.withScript { script in
            let before = script.segments.count
            let utterance = script.append(text, language: language, rules: rules, longestSegment: limit)
            return (utterance, script.segments.count == before)
        }
        report(of: text, in: utterance, isEmpty: isEmpty)
        return utterance
    }

    /// Tells what in a text cannot be spoken at all.
    private func report(of text: String, in utterance: SpeechUtterance, isEmpty: Bool) {
        if isEmpty {
            warn(
                .skippedText, utterance.utf8Range, "the text has no letters, digits or symbols; nothing of it is spoken"
            )
        }
        guard let damage = text.utf8.firstRange(of: "\u{FFFD}".utf8) else { return }
        let offset = utterance.utf8Range.lowerBound + text.utf8.distance(from: text.startIndex, to: damage.lowerBound)
        warn(
            .unsupportedCharacters, offset..<offset + 3, "the text is damaged here; replaced characters are not spoken")
    }

    private func warn(_ kind: SpeechWarning.Kind, _ range: Range<Int>, _ message: String) {
        tell(SpeechWarning(kind: kind, utf8Range: range, message: message), frame: nil)
    }

    func tell(_ warning: SpeechWarning, frame: Int64?) {
        logger.record(
            LogRecord(
                "speech.warning", level: .warning,
                fields: [
                    .engine: .open(identifier), .reason: .open(warning.kind.rawValue),
                    "message": .personal(warning.message),
                ]))
        hubs.events.post(SpeechEvent(frame: frame, kind: .warning(warning)))
    }

    /// Loads the voice in advance.
    private func prepareVoice() {
        let request = SpeechRequest(
            text: "", voice: settings.voice, language: settings.language, rate: 1, pitch: 1)
        logger.record(LogRecord("speech.prepare", level: .debug, fields: [.engine: .open(identifier)]))
        preparations += 1
        reportPhase()
        Task { [scheduler, weak self] in
            let error = await scheduler.prepare(request)
            await self?.prepared(error)
        }
    }

    /// An error does not end speech: the voice is loaded again when it is to be heard, and that error does.
    private func prepared(_ error: CoreError?) {
        preparations -= 1
        if let error {
            let fields = LogRecord.fields(of: error).merging([.engine: .open(identifier)]) { _, new in new }
            logger.record(LogRecord("speech.prepareFailed", level: .warning, fields: fields))
        }
        hubs.events.post(SpeechEvent(frame: nil, kind: .prepared(error)))
        reportPhase()
    }

    /// Ends everything: speech, synthesizer, layer. The engine cannot be used afterwards. Harmless when repeated.
    public func shutdown() async {
        guard !output.isShutDown else { return }
        output.isShutDown = true
        await halt()
        output.listener?.cancel()
        if let layer = output.layer { await mixer.removeLayer(layer) }
        await scheduler.close()
        hubs.finish()
    }
}

/// The event hubs of a speech engine.
struct SpeechHubs: Sendable {
    let state = EventHub<EngineState>(initial: .idle)
    let events = EventHub<SpeechEvent>()
    let sentences = EventHub<Int>()

    func finish() {
        state.finish()
        events.finish()
        sentences.finish()
    }
}

/// Speech hands the role of the session on to its mixer, which has the stream.
extension SpeechEngine: StreamRoleEngine {
    /// Sets the role of the mixer's stream; speech has ``AudioRole/speech`` in a controller without a configuration of its own.
    ///
    /// - Parameter role: What the stream is for.
    public func setStreamRole(_ role: AudioRole) async {
        await (mixer as? any StreamRoleEngine)?.setStreamRole(role)
    }
}
