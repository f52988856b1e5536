internal import Dispatch
package import DescantCore
internal import Synchronization

/// The engine: layers of decks, summed into an output that pulls them.
///
/// Commands run on the caller's thread and hold a layer's lock for a short time; rendering runs on the output's thread.
/// Events are published when their frame is heard. The GStreamer engine and the in-memory engine of the tests are this
/// class with another output and another deck provider.
package final class Mixer: DeckEffectEngine, StreamRoleEngine {
    struct State {
        var layers: [Layer] = []
        var lastLayer: UInt64 = 1
        var decks = DeckTable()
        var isShutDown = false
        /// Counts starts; a scheduled release of the device is valid only while the count stays the same.
        var activity: UInt64 = 0
        var isOutputLost = false
        var offlineFailure: CoreError?
        /// Whether an offline render is under way.
        var isAdvancing = false
        /// The levels of the layers in the last spans that were rendered.
        var meteredSpans: [(frame: Int64, layers: [LayerID: LevelReading.Meter])] = []
        var equalizer = EqualizerSettings()
        /// The effects of the mix and the layers, as the host has set them.
        var effects: [EffectPlace: [PreparedInsert]] = [:]
        /// Whether any layer is ducked, or still returns to its level.
        var usesDucking = false
        var mediaState: EngineState = .idle
        var mediaDeck: DeckInfo?
        /// The deck of a start that failed, which its layer has closed; `nil` without one.
        var mediaClosedDeck: DeckID?
        /// Counts the states that commands have set.
        var mediaCommands: UInt64 = 0
        /// Counts loads and stops: an opening or a start from before the last one is not wanted any more.
        var mediaLoads: UInt64 = 0
        /// Carries out the starts since the last load or stop one after another.
        var mediaStarts = AsyncSerialQueue()
        /// Counts pauses: a start that opens its content again does not undo a later one.
        var mediaPauses: UInt64 = 0
        /// The loaded source. A deck's name would not do: it lacks the password of a URL.
        var mediaSource: AudioSource?
        /// The position at which loaded content begins, in seconds.
        var mediaStart: Double = 0
        /// The position of the last start or seek, in seconds; it counts as the position until it is heard.
        var mediaFloor: Double = 0
        /// The target of a seek, in seconds, until its sound is heard; `nil` without such a seek.
        var mediaTarget: Double?
    }

    package let identifier: String
    package let mixFormat: PCMFormat
    package let mainLayer: LayerID
    let provider: any DeckProvider
    let output: any MixOutput
    let converters: any SampleConverterFactory
    let tempo: (any TempoChangerFactory)?
    let clock: any ClockPort
    /// Seconds of silence after which the device is released.
    let idleRelease: Double
    let state = Mutex(State())
    let eventHub = EventHub<MixEvent>()
    let levelHub = EventHub<LevelReading>()
    let effectHub = EventHub<EffectFailure>()
    /// The inserts whose failure was reported. Rendering reports them, with the lock of a layer held.
    let failedEffects = Mutex<Set<EffectID>>([])
    let tapHub = EventHub<PCMBlock>()
    let mediaHub = EventHub<EngineState>(initial: .idle)
    /// Held while the state is read and posted.
    let mediaPosts = Mutex(())
    let scheduler: HeardQueue<MixEvent>
    let levelQueue: HeardQueue<LevelReading>
    let tapQueue: HeardQueue<PCMBlock>
    /// The output frame rendered next; written by the rendering thread, read by commands.
    let renderedFrame = Mutex<Int64>(0)
    /// The output frame at which a new layer can begin.
    let nextBlock = Mutex<Int64>(0)
    let lastChange = Mutex(Change())
    /// The number of events before each of the layers' snapshots.
    let eventMarks = Mutex<[(frame: Int64, submitted: UInt64)]>([])
    /// Raised by decisions; an offline render may wait for one.
    let decisions = EventCount()
    /// Closes decks, which may wait for a reader.
    let closingQueue = DispatchQueue(label: "descant.mixer.closing")
    let metering = Mutex((levels: false, tap: false))
    /// The layer that ends an offline render when it becomes idle.
    let stopLayer = Mutex<LayerID?>(nil)

    /// Creates a mixer and connects it to its output.
    ///
    /// - Parameters:
    ///   - identifier: The engine's identifier.
    ///   - decks: Opens sources.
    ///   - output: Pulls the mix.
    ///   - converters: Makes rate converters.
    ///   - tempo: Changes the speed of clips; without it they keep their own.
    ///   - clock: The clock of ``idleRelease``, and of what is rendered again later.
    ///   - idleRelease: Seconds of silence after which the device is released.
    package init(
        decks: any DeckProvider, output: any MixOutput, converters: any SampleConverterFactory,
        tempo: (any TempoChangerFactory)? = nil, identifier: String, clock: any ClockPort = MonotonicClock(),
        idleRelease: Double = 5
    ) {
        self.identifier = identifier
        self.provider = decks
        self.output = output
        self.converters = converters
        self.tempo = tempo
        self.clock = clock
        self.idleRelease = idleRelease
        mixFormat = output.format
        mainLayer = LayerID(rawValue: 1)
        let rate = output.format.sampleRate
        let heard: @Sendable () -> Int64 = { [output] in output.heardFrame }
        scheduler = HeardQueue(hub: eventHub, sampleRate: rate, heardFrame: heard)
        levelQueue = HeardQueue(hub: levelHub, sampleRate: rate, heardFrame: heard)
        tapQueue = HeardQueue(hub: tapHub, sampleRate: rate, heardFrame: heard)
        state.withLock { $0.layers = [makeLayer(mainLayer, role: .main)] }
        scheduler.setReceiver { [weak self] event in
            if let self, event.layer == mainLayer { updateMediaState(event) }
        }
        output.connect(source: MixerPort(self)) { [weak self] event in self?.receive(event) }
    }

    package var capabilities: EngineCapabilities {
        var all: EngineCapabilities = [.playsURLs, .seeks, .changesRate, .mixes]
        if output.isOffline { all.insert(.rendersOffline) }
        return all
    }

    package var mixEvents: EventStream<MixEvent> { eventHub.stream(buffer: .bounded(1_024)) }
    package var levels: EventStream<LevelReading> { levelHub.stream(buffer: .newest) }
    package var pcmTap: EventStream<PCMBlock> { tapHub.stream(buffer: .bounded(32)) }
    package var stateUpdates: EventStream<EngineState> { mediaHub.stream(buffer: .newest) }

    func makeLayer(_ id: LayerID, role: LayerRole) -> Layer {
        Layer(id: id, role: role, mix: mixFormat, waits: output.isOffline, keepsLogs: output.canRewind)
    }

    func layer(_ id: LayerID) -> Layer? { state.withLock { $0.layers.first { $0.id == id } } }

    func existingLayer(_ id: LayerID) throws -> Layer {
        guard let layer = layer(id) else { throw CoreError.invalidArgument("\(id) does not exist") }
        return layer
    }

    /// Publishes the events of a change. An output that can rewind has done so between two blocks: here the events of a block that is being
    /// rendered, and that another change replaces, could be among them.
    func publishChange(of layer: Layer) {
        if !output.canRewind { publish(layer) }
    }

    /// Publishes a layer's events and closes its retired decks.
    func publish(_ layer: Layer) {
        let (events, released) = layer.collect(heard: output.canRewind ? output.heardFrame : nil)
        release(released)
        guard !events.isEmpty else { return }
        if output.isOffline { events.forEach(eventHub.post) } else { scheduler.submit(events) }
        // For every kind of end, also behind a fade that is longer than the wait for the release.
        if events.contains(where: { if case .idle = $0.kind { true } else { false } }) { scheduleRelease() }
        if output.isOffline, layer.id == mainLayer { events.forEach(updateMediaState) }
    }

    /// Closes decks that have ended, and takes back follow-ups that did not sound.
    func release(_ decks: [ReleasedDeck]) {
        guard !decks.isEmpty else { return }
        for deck in decks where deck.decks == nil { giveBack(deck.id) }
        state.withLock { state in for deck in decks where deck.decks != nil { state.decks.remove(deck.id) } }
        closingQueue.async { for deck in decks { deck.decks?.forEach { $0.close() } } }
    }

    private func receive(_ event: OutputEvent) {
        let frame = renderedFrame.withLock { $0 }
        switch event {
        case .lost(let reason):
            state.withLock { $0.isOutputLost = true }
            eventHub.post(MixEvent(frame: output.heardFrame, layer: nil, kind: .outputLost(reason: reason)))
        case .restored:
            state.withLock { $0.isOutputLost = false }
            eventHub.post(MixEvent(frame: output.heardFrame, layer: nil, kind: .outputRestored))
        case .deviceChanged(let name):
            eventHub.post(MixEvent(frame: frame, layer: nil, kind: .outputChanged(device: name)))
        case .levels(let frame, let master): receive(levels: master, at: frame)
        case .tapped(let block): receive(samples: block)
        }
    }

    package func shutdown() async {
        let decks: [DeckTable.Record]? = state.withLock { state in
            guard !state.isShutDown else { return nil }
            state.isShutDown = true
            return state.decks.removeAll()
        }
        guard let decks else { return }
        decisions.raise()
        let close = {
            for record in decks {
                record.opened.deck.close()
                record.standby?.close()
            }
        }
        // A render may wait for a source that gives nothing. In real time none waits, and closed decks would cut the sound off early.
        if output.isOffline { close() }
        await output.shutdown()
        if !output.isOffline { close() }
        scheduler.flush()
        levelQueue.release()
        tapQueue.release()
        eventHub.finish()
        levelHub.finish()
        tapHub.finish()
        effectHub.finish()
        mediaHub.finish()
    }
}

/// Connects the output to the mixer. The reference is weak, so that everything is released when the host drops the
/// engine.
private final class MixerPort: MixSource {
    private let mixer: WeakMixer

    init(_ mixer: Mixer) { self.mixer = WeakMixer(mixer) }

    func render(frames: Int, buffer: (LayerID) -> UnsafeMutablePointer<Float>) -> RenderedBlock {
        mixer.value?.render(frames: frames, buffer: buffer) ?? RenderedBlock(frame: 0, frames: 0, layers: [])
    }
}

private struct WeakMixer: Sendable {
    weak let value: Mixer?
    init(_ mixer: Mixer) { value = mixer }
}
