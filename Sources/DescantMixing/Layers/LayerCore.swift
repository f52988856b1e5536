internal import DescantCore

/// A deck that its layer does not need any more from a frame on.
struct ReleasedDeck: Sendable {
    var frame: Int64
    var id: DeckID
    /// The decks to close; `nil` for a follow-up that did not sound and may be used again.
    var decks: [any Deck]?
}

/// Renders a layer, block by block. Not thread-safe: ``Layer`` guards it.
///
/// The signal flows voices with effects of their own → effects → pause gate → layer gain. Every decision that falls on a frame (a crossfade that is due, a
/// fade that has ended, a deck that is over) splits the block there, so transitions are exact whatever the block size.
struct LayerCore {
    /// The reason why a render is short; an offline render waits, a real-time one plays silence.
    enum Stall: Sendable {
        case deck(any Deck)
        case decision
    }

    let id: LayerID
    let mix: PCMFormat
    /// Whether missing data and undecided follow-ups stop the render rather than sound as silence.
    let waits: Bool
    /// The clock of the logs of what voices read, when the layer may be returned to an earlier frame.
    let clock: RenderClock?
    var current: Voice?
    var leaving: [Voice] = []
    /// What rings in the effects of voices that have ended.
    var ringing: [VoiceTail] = []
    let tailMemory: InputMemory
    var next: (queued: QueuedDeck, join: DeckJoin)?
    /// Whether the host has set what follows the present deck.
    var followUpIsDecided = true
    /// The deck that ended before its follow-up was set; the layer waits in silence.
    var awaitingAfter: DeckID?
    /// The position of the pause, in seconds, from the beginning of its ramp until the ramp of the resumption begins.
    var frozenPosition: Double?
    /// Counts pauses, repeated ones included: a resumption that waits for a device must not undo a later pause.
    var pauses: UInt64 = 0
    /// A seek that waits for the end of a pause's ramp.
    var waitingJump: (deck: DeckID, seconds: Double)?
    /// Gains of decks, without a ramp, that wait for the end of a pause's ramp.
    var waitingGains: [DeckID: Double] = [:]
    /// A planned stop and the frames left before it.
    var plannedStop: (framesLeft: Int64, fadeFrames: Int64, curve: FadeCurve)?
    /// The output frame that will be rendered next.
    var nextFrame: Int64 = 0 {
        didSet { clock?.frame = nextFrame }
    }
    /// Whether the layer is to be dropped once it is idle.
    var isRemoved = false
    /// The effects. They lie before the gate, so that a pause freezes what rings in them.
    var effects: EffectChain
    var gate: PauseGate
    var gain = GainRamp(1)
    /// The ducking of the layer.
    var ducker: Ducker?
    /// Whether this layer ducks others, so that the frames of its sound are noted.
    var isKey = false
    /// The output frames in which a key layer has sounded since the last block.
    var soundSpans: [Range<Int64>] = []
    /// Whether a deck sounded in the part that was mixed last, rather than a loop's delay or the wait for a decision.
    var hasSounded = false
    var rate = 1.0
    var log = TimelineLog()
    /// The events that were not collected yet.
    var events: [MixEvent] = []
    /// Decks that are not needed any more and were not collected yet.
    var released: [ReleasedDeck] = []
    var starvedFrames: Int64 = 0
    /// Whether the frame is still unknown at which the present deck continues after a seek.
    var awaitsSeek = false

    init(id: LayerID, mix: PCMFormat, waits: Bool, keepsLogs: Bool = false) {
        self.id = id
        self.mix = mix
        self.waits = waits
        clock = keepsLogs ? RenderClock() : nil
        effects = EffectChain(mix)
        tailMemory = InputMemory(channels: mix.channels)
        gate = PauseGate(channels: mix.channels)
    }

    /// The length of the fade at every cut, 10 ms in frames.
    var declick: Int64 { Int64(mix.sampleRate / 100) }

    /// The shortest fade before and behind a seek: both together are as long as the fade at every cut.
    var seekFade: Int64 { declick / 2 }

    /// The voices that sound: those that leave, and the present one.
    var voices: [Voice] { leaving + (current.map { [$0] } ?? []) }

    var isIdle: Bool { current == nil && leaving.isEmpty && awaitingAfter == nil }

    /// Whether the layer has neither decks nor the sound of effects.
    var isFinished: Bool { isIdle && ringing.isEmpty && effects.isAtRest }

    /// Whether a render would give silence only.
    var isSilent: Bool { isFinished || gate.isClosed }

    /// Reads the frames of the next block, so that it begins with sound.
    ///
    /// - Returns: The deck to wait for, when it has not delivered enough and may deliver more.
    mutating func readAhead(frames: Int64) -> (any Deck)? {
        guard let current, !isSilent, !gate.replays else { return nil }
        current.readAhead(Int(frames))
        return current.inputEnded || current.available >= Int(frames) ? nil : current.deck
    }

    /// The present deck, when it has no data although it should sound.
    var starvedDeck: (any Deck)? {
        guard let current, !isSilent, starvedFrames > 0 || current.isSeeking, !current.isComplete else { return nil }
        return current.awaitedDeck
    }

    /// The first output frame that the present deck had no data for; `nil` when none is missing, and during a seek.
    var firstMissingFrame: Int64? { starvedFrames > 0 ? nextFrame - starvedFrames : nil }

    mutating func post(_ kind: MixEvent.Kind, at frame: Int64) {
        events.append(MixEvent(frame: frame, layer: id, kind: kind))
    }

    /// A copy that renders the same sound again. The voices need logs.
    func copy() -> LayerCore {
        var copy = self
        copy.current = current?.copy()
        copy.leaving = leaving.map { $0.copy() }
        copy.ringing = ringing.map(\.snapshot)
        copy.effects = effects.snapshot
        copy.events.removeAll()
        copy.released.removeAll()
        return copy
    }

    /// Drops what only older copies would read again.
    func trimLogs() {
        current?.trimLog()
        leaving.forEach { $0.trimLog() }
    }

    // MARK: The log

    /// Notes in the log that the present voice sounds from its position at this frame on.
    mutating func markPosition(frame: Int64) {
        guard let current else { return }
        if gate.isFrozen { frozenPosition = current.position }
        // During a seek or a change of speed, position and speed are unknown until the first frames are there.
        awaitsSeek = current.isSeeking
        let stands = gate.isFrozen || current.isSeeking
        log.mark(frame: frame, deck: current.id, seconds: current.position, slope: stands ? 0 : current.slope)
    }

    /// Notes that the ramp of a pause begins at this frame, from whose position the resumption goes on.
    mutating func freezePosition(at frame: Int64) {
        let position = log.position(at: frame)?.seconds ?? 0
        frozenPosition = position
        log.mark(frame: frame, deck: current?.id, seconds: position, slope: 0)
    }

    /// Notes that the position moves again from this frame on, where the ramp of a resumption begins.
    mutating func releasePosition(at frame: Int64) {
        let position = frozenPosition ?? 0
        frozenPosition = nil
        // The position of a deck that seeks, or has no data, stands still until data is there.
        awaitsSeek = current?.isSeeking == true
        let stands = awaitsSeek || starvedFrames > 0
        // A deck that was started in the pause begins behind the frames that the gate has kept.
        let beginsLater = gate.replays && current?.hasSounded == false
        let firstFrame = frame + Int64(beginsLater ? gate.keptFrames : 0)
        if beginsLater { log.mark(frame: frame, deck: current?.id, seconds: position, slope: 0) }
        log.mark(frame: firstFrame, deck: current?.id, seconds: position, slope: stands ? 0 : current?.slope ?? 0)
    }
}
