internal import DescantCore

/// The effects of a deck that sound on behind its end. It holds neither the deck nor samples that were read from it.
struct VoiceTail {
    let id: DeckID
    private var effects: EffectChain
    private var gains: VoiceGains
    private let channels: Int

    init(id: DeckID, effects: EffectChain, gains: VoiceGains, channels: Int) {
        self.id = id
        self.effects = effects
        self.gains = gains
        self.channels = channels
    }

    /// A copy of the state, to continue from later.
    var snapshot: VoiceTail {
        var copy = self
        copy.effects = effects.snapshot
        return copy
    }

    /// Whether nothing more is heard of it.
    var isSilent: Bool { effects.isAtRest || framesToExit ?? 1 <= 0 }

    /// The frames for which it goes on to sound.
    var remaining: Int { min(effects.remainingTail, Int(framesToExit ?? .max)) }

    /// Whether it fades out.
    var isLeaving: Bool { !gains.exits.isEmpty }

    /// The frames until it has faded out; `nil` while it does not fade.
    var framesToExit: Int64? { gains.exits.map(\.remaining).min() }

    /// Fades it out. Several fades multiply; the shortest one ends it.
    mutating func leave(curve: FadeCurve, frames: Int64) {
        gains.exits.append(Fade(.falling, curve: curve, frames: frames))
    }

    /// Adds the next frames to a mix.
    ///
    /// - Parameter memory: Working memory, whose contents do not matter.
    mutating func add(to buffer: UnsafeMutablePointer<Float>, frames: Int, memory: InputMemory) {
        var done = 0
        while done < frames {
            let part = min(frames - done, memory.frames)
            memory.start.update(repeating: 0, count: part * channels)
            effects.process(memory.start, frames: part)
            gains.applyRest(to: memory.start, frames: part, waiting: part, channels: channels)
            gains.advance(part)
            let target = buffer + done * channels
            for sample in 0..<part * channels { target[sample] += memory.start[sample] }
            done += part
        }
    }
}
