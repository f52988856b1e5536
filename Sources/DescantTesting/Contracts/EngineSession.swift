internal import DescantCore

/// One engine under test, with a task that decides what follows each deck, and a record of every event.
struct EngineSession: Sendable {
    let engine: any MixingEngine
    let format: PCMFormat
    let followUps = FollowUpPlan()
    private let contract: MixingEngineContract
    private let readBack: @Sendable () async throws -> SampleBuffer
    private let events: AsyncStream<Numbered<MixEvent>>
    private let decider: Task<Void, Never>

    init(_ contract: MixingEngineContract) async throws {
        let subject = try await contract.makeSubject()
        self.contract = contract
        engine = subject.engine
        format = engine.mixFormat
        readBack = subject.readBack
        let stream = engine.mixEvents.buffered(.bounded(16_384))
        events = stream.numbered
        let starts = stream.numbered
        decider = Task { [engine, followUps] in
            for await numbered in starts {
                guard case .deckStarted(let deck) = numbered.event.kind, let layer = numbered.event.layer else {
                    continue
                }
                // When the engine refuses a decision, the rendering is wrong and a check fails.
                try? await engine.setFollowUp(followUps[deck], on: layer)
            }
        }
    }

    var main: LayerID { engine.mainLayer }

    /// Opens known samples.
    func open(
        _ content: SampleBuffer, _ name: String = "sound", gain: Double = 1, isClip: Bool = false
    ) async throws -> DeckID { try await describe(content, name, gain: gain, isClip: isClip).id }

    /// Opens known samples and returns the engine's description of the deck.
    func describe(
        _ content: SampleBuffer, _ name: String = "sound", gain: Double = 1, isClip: Bool = false
    ) async throws -> DeckInfo {
        try await engine.openDeck(try await contract.makeSource(content, name), gain: gain, isClip: isClip)
    }

    func source(_ content: SampleBuffer, _ name: String = "sound") async throws -> AudioSource {
        try await contract.makeSource(content, name)
    }

    /// Opens known samples and starts them.
    @discardableResult
    func start(
        _ content: SampleBuffer, on layer: LayerID? = nil, entry: DeckEntry = .cut, loop: LoopPlan? = nil,
        isClip: Bool = false
    ) async throws -> DeckID {
        let deck = try await open(content, isClip: isClip)
        try await engine.play(deck, on: layer ?? main, entry: entry, loop: loop)
        return deck
    }

    /// Renders a number of frames.
    func render(_ frames: Int) async throws { _ = try await engine.advance(frames: Int64(frames), untilIdle: nil) }

    /// Renders until the main layer is idle, up to a number of frames; returns how many were rendered.
    @discardableResult
    func renderToIdle(limit: Int) async throws -> Int {
        Int(try await engine.advance(frames: Int64(limit), untilIdle: main))
    }

    /// Ends the session and returns everything rendered, and every event in order.
    func complete() async throws -> (rendered: SampleBuffer, events: [MixEvent]) {
        let rendered = try await readBack()
        await engine.shutdown()
        await decider.value
        var collected: [MixEvent] = []
        for await numbered in events { collected.append(numbered.event) }
        return (rendered, collected)
    }

    /// Ends a session without reading its rendering.
    func abandon() async {
        await engine.shutdown()
        await decider.value
    }
}
