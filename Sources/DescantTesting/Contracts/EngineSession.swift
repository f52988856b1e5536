internal import DescantCore

/// One engine under test, with what a host does around it: somebody decides what follows every deck, and every event is
/// written down.
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
                // A decision that the engine refuses shows in what it renders.
                try? await engine.setFollowUp(followUps[deck], on: layer)
            }
        }
    }

    var main: LayerID { engine.mainLayer }

    /// Opens known samples.
    func open(
        _ content: SampleBuffer, _ name: String = "sound", gain: Double = 1, isClip: Bool = false
    ) async throws -> DeckID { try await describe(content, name, gain: gain, isClip: isClip).id }

    /// Opens known samples and tells what the engine knows of them.
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

    /// Renders exactly so many frames.
    func render(_ frames: Int) async throws { _ = try await engine.advance(frames: Int64(frames), untilIdle: nil) }

    /// Renders until the main layer is idle, up to a number of frames; returns how many were rendered.
    @discardableResult
    func renderToIdle(limit: Int) async throws -> Int {
        Int(try await engine.advance(frames: Int64(limit), untilIdle: main))
    }

    /// Ends the session: everything rendered, and every event in order.
    func complete() async throws -> (rendered: SampleBuffer, events: [MixEvent]) {
        let rendered = try await readBack()
        await engine.shutdown()
        await decider.value
        var collected: [MixEvent] = []
        for await numbered in events { collected.append(numbered.event) }
        return (rendered, collected)
    }

    /// Ends a session whose rendering does not matter any more.
    func abandon() async {
        await engine.shutdown()
        await decider.value
    }
}
