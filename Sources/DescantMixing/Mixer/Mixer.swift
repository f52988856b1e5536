internal import Dispatch
package import DescantCore
internal import Synchronization

/// The engine: layers of decks, summed into an output that pulls them.
///
/// Commands run on the caller's thread and take a layer's lock for an instant; rendering runs on the output's thread.
/// What happened comes back as events, when it is heard. The same class serves every output and deck provider: the
/// GStreamer engine and the in-memory engine of the tests differ only in those two.
package final class Mixer: MixingEngine {
    struct State {
        var layers: [Layer] = []
        var lastLayer: UInt64 = 1
        var decks = DeckTable()
        var isShutDown = false
        /// Counts what would make a scheduled release of the device premature.
        var activity: UInt64 = 0
        var isOutputLost = false
        var offlineFailure: CoreError?
        var meteredLayers: [LayerID: LevelReading.Meter] = [:]
        var equalizer = EqualizerSettings()
        /// Whether any layer makes way for others, or has not come back from it.
        var usesDucking = false
        var mediaState: EngineState = .idle
        var mediaDeck: DeckInfo?
        /// What was loaded; a deck's name is for people and lacks a password.
        var mediaSource: AudioSource?
        /// Where loaded content begins, in seconds.
        var mediaStart: Double = 0
        /// Where what plays was begun or moved to last, in seconds: until that is heard, it counts as the position.
        var mediaFloor: Double = 0
    }

    package let identifier: String
    package let mixFormat: PCMFormat
    package let mainLayer: LayerID
    let provider: any DeckProvider
    let output: any MixOutput
    let converters: any SampleConverterFactory
    let clock: any ClockPort
    /// Seconds of silence after which the device is released.
    let idleRelease: Double
    let state = Mutex(State())
    let eventHub = EventHub<MixEvent>()
    let levelHub = EventHub<LevelReading>()
    let tapHub = EventHub<PCMBlock>()
    let mediaHub = EventHub<EngineState>(initial: .idle)
    let scheduler: EventScheduler
    /// The output frame rendered next; touched by the rendering thread, read by commands.
    let renderedFrame = Mutex<Int64>(0)
    /// The output frame at which a new layer's first frame could sound.
    let nextBlock = Mutex<Int64>(0)
    /// Wakes an offline render that waits for a decision.
    let decisions = EventCount()
    /// Where decks are closed, which may wait for whoever reads them.
    let closingQueue = DispatchQueue(label: "descant.mixer.closing")
    let metering = Mutex((levels: false, tap: false))
    /// The layer at whose end an offline render stops.
    let stopLayer = Mutex<LayerID?>(nil)

    /// Creates a mixer and connects it to its output.
    ///
    /// - Parameters:
    ///   - identifier: The engine's identifier.
    ///   - decks: Opens sources.
    ///   - output: Pulls the mix.
    ///   - converters: Makes rate converters.
    ///   - clock: Measures the time after which an idle device is released.
    ///   - idleRelease: That time, in seconds.
    package init(
        decks: any DeckProvider, output: any MixOutput, converters: any SampleConverterFactory, identifier: String,
        clock: any ClockPort = MonotonicClock(), idleRelease: Double = 5
    ) {
        self.identifier = identifier
        self.provider = decks
        self.output = output
        self.converters = converters
        self.clock = clock
        self.idleRelease = idleRelease
        mixFormat = output.format
        mainLayer = LayerID(rawValue: 1)
        scheduler = EventScheduler(hub: eventHub, sampleRate: output.format.sampleRate) { [output] in output.heardFrame
        }
        let main = Layer(id: mainLayer, role: .main, mix: output.format, waits: output.isOffline)
        state.withLock { $0.layers = [main] }
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

    func layer(_ id: LayerID) -> Layer? { state.withLock { $0.layers.first { $0.id == id } } }

    func existingLayer(_ id: LayerID) throws -> Layer {
        guard let layer = layer(id) else { throw CoreError.invalidArgument("\(id) does not exist") }
        return layer
    }

    /// Sends out what a layer has to report and closes what it is done with.
    func publish(_ layer: Layer) {
        let (events, retired, takenBack) = layer.collect()
        takenBack.forEach(giveBack)
        if !retired.isEmpty {
            state.withLock { state in retired.forEach { state.decks.remove($0.id) } }
            closingQueue.async { for voice in retired { voice.decks.forEach { $0.close() } } }
        }
        guard !events.isEmpty else { return }
        if output.isOffline { events.forEach(eventHub.post) } else { scheduler.submit(events) }
        // However it became quiet: at its end, or behind a fade that took longer than the wait for the release.
        if events.contains(where: { if case .idle = $0.kind { true } else { false } }) { scheduleRelease() }
        if layer.id == mainLayer { updateMediaState(events) }
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
        case .levels(let frame, let master):
            let layers = state.withLock { $0.meteredLayers }
            levelHub.post(LevelReading(frame: frame, master: master, layers: layers))
        case .tapped(let block): tapHub.post(block)
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
        await output.shutdown()
        for record in decks {
            record.opened.deck.close()
            record.standby?.close()
        }
        scheduler.flush()
        eventHub.finish()
        levelHub.finish()
        tapHub.finish()
        mediaHub.finish()
    }
}

/// The output's way to the mixer. Weak, so that a host that drops the engine gets everything released.
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
