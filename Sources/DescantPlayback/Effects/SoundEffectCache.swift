internal import DescantCore
internal import Foundation

/// The clips that a player holds ready, and the layers that effects sound on.
struct SoundEffectCache: Sendable {
    /// How many clips are held.
    static let capacity = 10
    /// How many layers are kept for the next effects.
    static let spareLayers = 4

    /// Linear gain of all effects.
    var volume: Float = 1
    var voices: [EffectVoice] = []
    /// Counts the pauses of everything.
    private(set) var pauses: UInt64 = 0
    /// The pauses that were not resumed, as far as an effect is being loaded that was called for before them.
    private var openPauses: Set<UInt64> = []
    /// The calls that load or begin an effect and were not stopped since, with its source.
    private var calls: [UInt64: URL] = [:]
    private var lastCall: UInt64 = 0
    /// The clips, the one used last at the end.
    private var clips: [(url: URL, deck: DeckID)] = []

    /// The clips' sources, the one used last at the end.
    var urls: [URL] { clips.map(\.url) }

    var layers: [LayerID] { voices.map(\.layer) }

    /// A clip's deck, which then counts as used last.
    mutating func use(_ url: URL) -> DeckID? {
        guard let index = clips.firstIndex(where: { $0.url == url }) else { return nil }
        clips.append(clips.remove(at: index))
        return clips[clips.count - 1].deck
    }

    /// Keeps a clip; returns the decks that are not needed any more.
    mutating func keep(_ deck: DeckID, of url: URL) -> [DeckID] {
        // Another call can have opened the same clip meanwhile.
        guard use(url) == nil else { return [deck] }
        clips.append((url, deck))
        guard clips.count > Self.capacity else { return [] }
        return [clips.removeFirst().deck]
    }

    /// Gives a clip up; returns its deck.
    mutating func remove(_ url: URL) -> DeckID? {
        clips.firstIndex { $0.url == url }.map { clips.remove(at: $0).deck }
    }

    // MARK: Calls

    /// Notes a call that plays an effect.
    mutating func began(_ url: URL) -> EffectCall {
        lastCall &+= 1
        calls[lastCall] = url
        return EffectCall(number: lastCall, pauses: pauses)
    }

    /// Forgets a call whose effect has begun, or does not begin.
    mutating func ended(_ call: EffectCall) { calls[call.number] = nil }

    /// Lets effects that have not begun never begin.
    ///
    /// - Parameter url: Which one; `nil` for all.
    mutating func stopCalls(for url: URL?) { calls = calls.filter { url != nil && $0.value != url } }

    /// Whether a call was not stopped.
    func isWanted(_ call: EffectCall) -> Bool { calls[call.number] != nil }

    /// Notes a pause of everything.
    ///
    /// - Returns: Its number.
    mutating func countPause() -> UInt64 {
        pauses &+= 1
        if calls.isEmpty { openPauses = [] }
        openPauses.insert(pauses)
        return pauses
    }

    /// Notes that a pause was resumed; `nil` for all of them.
    mutating func endPause(_ number: UInt64?) {
        if let number { openPauses.remove(number) } else { openPauses = [] }
    }

    /// The first pause that came after a call and was not resumed: the effect begins paused.
    func pause(after call: EffectCall) -> UInt64? { openPauses.filter { $0 > call.pauses }.min() }

    // MARK: Voices

    /// Takes a free layer for an effect.
    mutating func claimVoice(for effect: SoundEffect) -> LayerID? {
        guard let index = voices.firstIndex(where: { $0.effect == nil }) else { return nil }
        voices[index].effect = effect
        return voices[index].layer
    }

    /// Changes the voice of a layer, if it is one of these.
    mutating func change(_ layer: LayerID, _ body: (inout EffectVoice) -> Void) {
        if let index = voices.firstIndex(where: { $0.layer == layer }) { body(&voices[index]) }
    }

    /// Frees a layer for the next effect, or drops it when there are enough; returns whether it was dropped.
    mutating func free(_ layer: LayerID) -> Bool {
        change(layer) { $0 = EffectVoice(layer: layer) }
        guard voices.count(where: { $0.effect == nil }) > Self.spareLayers else { return false }
        voices.removeAll { $0.layer == layer }
        return true
    }
}

/// A call that plays an effect, as it was when it came.
struct EffectCall: Sendable {
    fileprivate let number: UInt64
    /// ``SoundEffectCache/pauses`` when the call came.
    let pauses: UInt64
}

/// A layer for sound effects, and the effect that sounds on it.
struct EffectVoice: Sendable {
    let layer: LayerID
    /// The effect that sounds or is about to; `nil` while the layer is free.
    var effect: SoundEffect?
    /// Its deck, from its start on.
    var deck: DeckID?
    /// Whether the engine has the deck: a layer that is silent then has played it to its end.
    var isStarted = false
    /// The pause that holds it, by ``SoundEffectCache/pauses``.
    var pausedBy: UInt64?

    var isPaused: Bool { pausedBy != nil }
}
