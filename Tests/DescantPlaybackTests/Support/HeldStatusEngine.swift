import DescantCore
import Foundation
import Synchronization

/// A mixing engine whose answers can be delayed, as those of a busy engine.
final class HeldStatusEngine: MixingEngine {
    private let engine: any MixingEngine
    private let held = Mutex(Call?.none)
    private let givenDuckings = Mutex<[(layer: LayerID, plan: DuckingPlan?)]>([])
    /// Resolved when an answer is held.
    let isHeld = Promise<Void>()
    /// Releases the held answer.
    let mayGo = Promise<Void>()

    /// A call whose answer can be held.
    enum Call {
        case status, opening, layerGain, resumption
        case resumptionBeforeItsEffect, volumeBeforeItsEffect, duckingBeforeItsEffect
    }

    init(_ engine: any MixingEngine) { self.engine = engine }

    /// The duckings that layers were given, in the order of the calls.
    var duckings: [(layer: LayerID, plan: DuckingPlan?)] { givenDuckings.withLock { $0 } }

    /// Holds the next answer to a call.
    func holdNext(_ call: Call) { held.withLock { $0 = call } }

    private func wait(after call: Call) async {
        let isHeldBack = held.withLock { held in
            guard held == call else { return false }
            held = nil
            return true
        }
        guard isHeldBack else { return }
        isHeld.resolve(())
        _ = await mayGo.value(within: 60)
    }

    func status(of layer: LayerID) async -> LayerStatus {
        let status = await engine.status(of: layer)
        await wait(after: .status)
        return status
    }

    // MARK: Forwarded to the engine

    var identifier: String { engine.identifier }
    var capabilities: EngineCapabilities { engine.capabilities }
    var engineState: EngineState { get async { await engine.engineState } }
    var currentTime: TimeInterval { get async { await engine.currentTime } }
    var duration: TimeInterval? { get async { await engine.duration } }
    var stateUpdates: EventStream<EngineState> { engine.stateUpdates }
    var mixFormat: PCMFormat { engine.mixFormat }
    var mixEvents: EventStream<MixEvent> { engine.mixEvents }
    var levels: EventStream<LevelReading> { engine.levels }
    var pcmTap: EventStream<PCMBlock> { engine.pcmTap }
    var mainLayer: LayerID { engine.mainLayer }
    var equalizer: EqualizerSettings { get async { await engine.equalizer } }

    func loadContent(_ content: MediaContent) async throws { try await engine.loadContent(content) }
    func play() async throws { try await engine.play() }
    func pause() async { await engine.pause() }
    func stop() async { await engine.stop() }
    func seek(to position: MediaPosition) async throws { try await engine.seek(to: position) }
    func setRate(_ rate: Double) async throws { try await engine.setRate(rate) }

    func openDeck(_ source: AudioSource, gain: Double, isClip: Bool) async throws -> DeckInfo {
        let deck = try await engine.openDeck(source, gain: gain, isClip: isClip)
        await wait(after: .opening)
        return deck
    }
    func duplicateDeck(_ deck: DeckID) async throws -> DeckInfo { try await engine.duplicateDeck(deck) }
    func setTrackGain(_ gain: Double, of deck: DeckID, ramp: TimeInterval) async {
        await engine.setTrackGain(gain, of: deck, ramp: ramp)
    }
    func closeDeck(_ deck: DeckID) async { await engine.closeDeck(deck) }
    func addLayer(_ role: LayerRole) async -> LayerID { await engine.addLayer(role) }
    func removeLayer(_ layer: LayerID) async { await engine.removeLayer(layer) }
    func play(_ deck: DeckID, on layer: LayerID, entry: DeckEntry, loop: LoopPlan?) async throws {
        try await engine.play(deck, on: layer, entry: entry, loop: loop)
    }
    func setFollowUp(_ followUp: FollowUp, on layer: LayerID) async throws {
        try await engine.setFollowUp(followUp, on: layer)
    }
    func setLoop(_ loop: LoopPlan, on layer: LayerID) async { await engine.setLoop(loop, on: layer) }
    func pause(_ layer: LayerID, ramp: TimeInterval) async { await engine.pause(layer, ramp: ramp) }
    func resume(_ layer: LayerID, ramp: TimeInterval) async throws {
        await wait(after: .resumptionBeforeItsEffect)
        try await engine.resume(layer, ramp: ramp)
        await wait(after: .resumption)
    }
    func stop(_ layer: LayerID, fade: TimeInterval, curve: FadeCurve) async {
        await engine.stop(layer, fade: fade, curve: curve)
    }
    func planStop(_ plan: PlannedStop?, of layer: LayerID) async { await engine.planStop(plan, of: layer) }
    func seek(_ layer: LayerID, to position: TimeInterval, fade: TimeInterval) async throws {
        try await engine.seek(layer, to: position, fade: fade)
    }
    func shortenCrossfade(_ layer: LayerID, within duration: TimeInterval) async {
        await engine.shortenCrossfade(layer, within: duration)
    }
    func setGain(_ gain: Double, of layer: LayerID, ramp: TimeInterval) async {
        await engine.setGain(gain, of: layer, ramp: ramp)
        await wait(after: .layerGain)
    }
    func setDucking(_ plan: DuckingPlan?, of layer: LayerID) async throws {
        givenDuckings.withLock { $0.append((layer, plan)) }
        await wait(after: .duckingBeforeItsEffect)
        try await engine.setDucking(plan, of: layer)
    }
    func setRate(_ rate: Double, of layer: LayerID) async throws { try await engine.setRate(rate, of: layer) }
    func setMasterVolume(_ volume: Double) async {
        await wait(after: .volumeBeforeItsEffect)
        await engine.setMasterVolume(volume)
    }
    func setEqualizer(_ settings: EqualizerSettings) async { await engine.setEqualizer(settings) }
    func setLimiter(enabled: Bool) async { await engine.setLimiter(enabled: enabled) }
    func outputDevices() async throws -> [OutputDevice] { try await engine.outputDevices() }
    func selectOutput(_ identifier: String?) async throws { try await engine.selectOutput(identifier) }
    func shutdown() async { await engine.shutdown() }
    func advance(frames: Int64, untilIdle layer: LayerID?) async throws -> Int64 {
        try await engine.advance(frames: frames, untilIdle: layer)
    }
    func finishOutput() async throws { try await engine.finishOutput() }
}
