public import Foundation

/// How a deck comes in when it is started on a layer where another one may be sounding.
public enum DeckEntry: Sendable, Hashable {
    /// Its first frame sounds next, at full gain. What sounded before ends within a 10 ms ramp under it.
    case cut
    /// It fades in from silence; what sounded before ends within a 10 ms ramp under it.
    case fadeIn(TimeInterval, curve: FadeCurve)
    /// It fades in while what sounded before fades out over the same frames and goes on looping. When less than the duration is
    /// left of what sounds, loops and their delays included, the crossfade is shortened to what is left; below 0.1 s, and in the
    /// delay of a loop, it becomes a cut. It takes the place of the fade-in of a ``LoopPlan``'s first pass, which a cut keeps.
    /// On a paused layer it is frozen at its first frame until the layer is resumed.
    case crossfade(TimeInterval, curve: FadeCurve)
}

/// How one deck follows another at its end.
public enum DeckJoin: Sendable, Hashable {
    /// The first frame of the next deck follows the last frame of the present one.
    case gapless
    /// The last seconds of the present deck and the first of the next one overlap. Shortened to what is left; below
    /// 0.1 s it becomes gapless.
    case crossfade(TimeInterval, curve: FadeCurve)
    /// The next deck does not wait for the end: it comes in with a crossfade as soon as no other crossfade is running on the
    /// layer. Shortened to what is left; below 0.1 s it becomes a cut under a 10 ms ramp.
    case afterCrossfade(TimeInterval, curve: FadeCurve)
}

/// What a layer does when its deck comes to an end.
public enum FollowUp: Sendable, Hashable {
    /// Nobody has decided yet. In real time the layer waits in silence if the end comes first; an offline render waits
    /// for the decision.
    case undecided
    /// Nothing follows: the layer becomes idle.
    case nothing
    /// Another deck follows.
    case deck(DeckID, DeckJoin)
}

/// A stop that a layer makes by itself when its time has come.
public struct PlannedStop: Sendable, Hashable {
    /// Seconds of the layer's sound until the stop, on the output's timeline; they stand still while it is paused or idle.
    public var after: TimeInterval
    /// Length of the fade out in seconds; at least the 10 ms ramp is used.
    public var fade: TimeInterval
    /// The curve of the fade.
    public var curve: FadeCurve

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - after: Seconds of the layer's sound until the stop; 0 or more.
    ///   - fade: Length of the fade out in seconds.
    ///   - curve: The curve of the fade.
    public init(after: TimeInterval, fade: TimeInterval, curve: FadeCurve) {
        self.after = after
        self.fade = fade
        self.curve = curve
    }
}

/// How a deck repeats within a layer.
///
/// Fades lie inside the clip: in from its first frame, out to its last.
public struct LoopPlan: Sendable, Hashable {
    /// How many times the clip is played; `nil` for endlessly.
    public var passes: Int?
    /// Silence between passes, in seconds on the audio clock.
    public var delay: TimeInterval
    /// Length of the fade at the beginning of a pass, in seconds.
    public var fadeIn: TimeInterval
    /// Length of the fade at the end of a pass, in seconds.
    public var fadeOut: TimeInterval
    /// The curve of both fades.
    public var curve: FadeCurve
    /// Whether every pass has both fades; otherwise the first pass fades in and the last one out.
    public var fadesEveryPass: Bool

    /// Creates a plan; without arguments the clip is played once, as it is.
    ///
    /// - Parameters:
    ///   - passes: How many times the clip is played; `nil` for endlessly.
    ///   - delay: Silence between passes, in seconds.
    ///   - fadeIn: Length of the fade at the beginning, in seconds.
    ///   - fadeOut: Length of the fade at the end, in seconds.
    ///   - curve: The curve of both fades.
    ///   - fadesEveryPass: Whether every pass has both fades.
    public init(
        passes: Int? = 1, delay: TimeInterval = 0, fadeIn: TimeInterval = 0, fadeOut: TimeInterval = 0,
        curve: FadeCurve = .linear, fadesEveryPass: Bool = false
    ) {
        self.passes = passes
        self.delay = delay
        self.fadeIn = fadeIn
        self.fadeOut = fadeOut
        self.curve = curve
        self.fadesEveryPass = fadesEveryPass
    }
}

/// How a gain travels between silence and full level.
///
/// With p the share of the fade that has passed, 0…1, a fade-in has the gain of ``gain(at:)`` and the
/// matching fade-out the same curve of 1 - p. Formulas: the specification's "Sound" section, after the
/// classic crossfade laws (constant power for ``equalPower``, constant amplitude for ``linear``).
public enum FadeCurve: String, Sendable, Hashable, Codable, CaseIterable {
    /// sin(πp/2): constant power for unlike signals, the usual choice for music.
    case equalPower
    /// p: constant amplitude for alike signals; dips 3 dB in the middle for unlike ones.
    case linear
    /// log10(9p + 1): quick start, slow arrival.
    case logarithmic
    /// p²: slow start, quick arrival.
    case exponential
    /// 3p² - 2p³: gentle at both ends.
    case sCurve

    /// Decodes a curve's name. Names of two words are also known with an underscore, `equal_power` and `s_curve`, as
    /// ProsperPlayer writes them.
    ///
    /// - Parameter decoder: Gives one text.
    /// - Throws: `DecodingError` for another text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        let known = Self.allCases.first {
            $0.rawValue == name || $0.rawValue.lowercased() == name.replacing("_", with: "")
        }
        guard let known else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(name) is not a fade curve; there are \(names)")
        }
        self = known
    }

    /// The gain of a fade-in.
    ///
    /// - Parameter progress: The share of the fade that has passed; clamped to 0…1.
    /// - Returns: A linear gain, 0…1; exactly 0 at 0 and exactly 1 at 1.
    @inlinable
    public func gain(at progress: Double) -> Double {
        let p = progress
        if !(p > 0) { return 0 }
        if p >= 1 { return 1 }
        switch self {
        case .equalPower: return sin(p * .pi / 2)
        case .linear: return p
        case .logarithmic: return log10(9 * p + 1)
        case .exponential: return p * p
        case .sCurve: return p * p * (3 - 2 * p)
        }
    }

    /// The gain of a fade-out: ``gain(at:)`` of 1 - p.
    ///
    /// - Parameter progress: The share of the fade that has passed; clamped to 0…1.
    @inlinable
    public func inverseGain(at progress: Double) -> Double { gain(at: 1 - progress) }
}
