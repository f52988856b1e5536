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
public actor SpeechEngine: EngineProgressReporting {
    /// What a listener wishes, whatever has been reached of it.
    enum Wish { case silence, speech, pause }

    /// The engine's name, as a rule the synthesizer's.
    public nonisolated let identifier: String
    /// Speaks text, seeks, changes its rate.
    public nonisolated let capabilities: EngineCapabilities = [.speaksText, .seeks, .changesRate]

    let mixer: any MixingEngine
    let clock: any ClockPort
    let logger: any LoggerPort
    let studio: SynthesisScheduler
    let copy = SharedScript()
    nonisolated let stateHub = EventHub<EngineState>(initial: .idle)
    nonisolated let eventHub = EventHub<SpeechEvent>()
    nonisolated let sentenceHub = EventHub<Int>()
    let commandQueue = AsyncSerialQueue()

    /// How texts are spoken; changed with ``apply(_:)``.
    public internal(set) var settings: SpeechSettings
    var wish = Wish.silence
    /// The layer of the mixer that speaks, once there is one.
    var speechLayer: LayerID?
    var line: SpeechStream?
    var deck: DeckID?
    /// Every line that may be heard: after a jump the old one sounds until the new one is there, and is told of until then.
    var lines: [DeckID: SpeechStream] = [:]
    /// Whether the deck was not put on the layer yet: speech was paused before it began.
    var isPrimed = false
    /// Whether a deck is being put on the layer, and whether it was taken from it meanwhile.
    var isStarting = false
    var wasReplaced = false
    /// Where to begin, while no line tells where it is.
    var place = TextCursor.start(of: 0)
    /// Seconds at the rate 1 that had passed where the present line begins.
    var anchor = 0.0
    /// Counts the jumps: what an earlier one prepared is thrown away.
    var jumps: UInt64 = 0
    var beginning: Task<Void, any Error>?
    var currentWord: Range<Int>?
    /// Where the text goes on while the pause behind a segment is heard.
    var passedOffset: Int?
    /// Whether the deck has begun to be heard.
    var hasSounded = false
    /// Whether the deck has nothing to play at the moment.
    var isStarved = false
    /// The share that was reported last, which goes back at jumps only.
    var reportedShare = 0.0
    var listener: Task<Void, Never>?
    var isShutDown = false

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
    public init(
        identifier: String, synthesizer: any SpeechSynthesizer, mixer: any MixingEngine,
        settings: SpeechSettings = SpeechSettings(), clock: any ClockPort = MonotonicClock(),
        logger: any LoggerPort = NoopLogger(), cacheLimit: Int = 32 << 20
    ) {
        self.identifier = identifier
        self.mixer = mixer
        self.settings = settings.limited
        self.clock = clock
        self.logger = logger
        studio = SynthesisScheduler(
            synthesizer, engine: identifier, clock: clock, logger: logger, cacheLimit: cacheLimit)
    }

    deinit {
        listener?.cancel()
        beginning?.cancel()
        line?.abandon()
        studio.cancelAll()
    }

    // MARK: What it is doing

    /// Every change of state; begins with the present one.
    public nonisolated var stateUpdates: EventStream<EngineState> { stateHub.stream(buffer: .bounded(64)) }

    /// Sentences, words and ends of utterances as they are heard.
    public nonisolated var events: EventStream<SpeechEvent> { eventHub.stream(buffer: .bounded(1_024)) }

    /// What the engine is doing.
    public var engineState: EngineState { stateHub.snapshot ?? .idle }

    /// The layer of the mixer that speaks; others can be made to make way for it.
    public var layer: LayerID {
        get async {
            if let speechLayer { return speechLayer }
            return await commandQueue.run {
                if let speechLayer { return speechLayer }
                let added = await mixer.addLayer(.speech)
                speechLayer = added
                return added
            }
        }
    }

    /// The voices of the synthesizer.
    ///
    /// - Throws: ``CoreError/ioError(underlying:)`` when they cannot be listed.
    public func voices() async throws -> [SpeechVoice] { try await studio.synthesizer.voices() }

    /// What the synthesizer can do.
    public nonisolated var synthesizerCapabilities: SpeechCapabilities { studio.capabilities }

    func setState(_ new: EngineState) {
        guard stateHub.snapshot != new else { return }
        stateHub.post(new)
    }

    // MARK: Text

    /// Takes a text and waits at its beginning; what was there before is stopped and forgotten.
    ///
    /// Text without anything to speak is no error: playing it finishes at once.
    ///
    /// - Parameter content: A text.
    /// - Throws: ``CoreError/unsupported(_:)`` for anything else.
    public func loadContent(_ content: MediaContent) async throws {
        guard case .text(let text, let language) = content else {
            throw CoreError.unsupported("\(identifier) speaks text; a URL needs an engine that plays sound")
        }
        // Whoever plays while the layer is stopped begins the text that is forgotten here.
        repeat { await halt() } while wish != .silence
        copy.withScript { $0.forgetText(pauses: settings.pauses) }
        add(text, language: language)
        place = .start(of: 0)
        anchor = 0
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
        let end = copy.withScript { $0.segments.count }
        let hasFinished = engineState == .finished
        let utterance = add(text, language: language)
        if engineState == .idle || hasFinished {
            place = .start(of: end)
            anchor = position(of: place)
            setState(.ready)
            prepareVoice()
        }
        return utterance
    }

    /// The utterances that were handed over, in order.
    public var utterances: [SpeechUtterance] { copy.withScript { $0.utterances } }

    /// The whole text, to which the offsets of events belong.
    public var text: String { copy.withScript { String(decoding: $0.bytes, as: UTF8.self) } }

    @discardableResult
    private func add(_ text: String, language: String?) -> SpeechUtterance {
        let limit = max(1, studio.capabilities.longestRequest)
        let chosen = language ?? settings.language
        let (utterance, isEmpty) = copy.withScript { script in
            let before = script.segments.count
            let utterance = script.append(text, language: chosen, longestSegment: limit)
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
        eventHub.post(SpeechEvent(frame: frame, kind: .warning(warning)))
    }

    /// Loads what the voice needs while nobody waits for it.
    private func prepareVoice() {
        let request = SpeechRequest(
            text: "", voice: settings.voice, language: settings.language, rate: 1, pitch: 1)
        let synthesizer = studio.synthesizer
        logger.record(LogRecord("speech.prepare", level: .debug, fields: [.engine: .open(identifier)]))
        Task {
            // An error is told when the voice is to be heard.
            try? await synthesizer.prepare(request)
        }
    }

    /// Ends everything: speech, synthesizer, layer. The engine cannot be used afterwards. Harmless when repeated.
    public func shutdown() async {
        guard !isShutDown else { return }
        isShutDown = true
        await halt()
        listener?.cancel()
        if let speechLayer { await mixer.removeLayer(speechLayer) }
        await studio.close()
        stateHub.finish()
        eventHub.finish()
        sentenceHub.finish()
    }
}
