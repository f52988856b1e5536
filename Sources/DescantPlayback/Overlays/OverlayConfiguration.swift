public import DescantCore
public import Foundation

/// How an overlay plays.
///
/// Every value is clamped to its range, when the configuration is created and on every change.
public struct OverlayConfiguration: Sendable, Hashable {
    /// Linear gain, 0…1.
    public var volume: Float { didSet { volume = volume.clamped(to: 0...1) } }
    /// How often the clip is played.
    public var loopMode: LoopMode { didSet { loopMode = loopMode.clamped } }
    /// Silence between passes in seconds, 0…600, on the audio clock.
    public var loopDelay: TimeInterval { didSet { loopDelay = loopDelay.clamped(to: Self.delays) } }
    /// Length of the fade at the beginning in seconds, 0.1…10.
    public var fadeInDuration: TimeInterval { didSet { fadeInDuration = fadeInDuration.clamped(to: Self.fades) } }
    /// Length of the fade at the end, and of `stopOverlay()`, in seconds, 0.1…10.
    public var fadeOutDuration: TimeInterval { didSet { fadeOutDuration = fadeOutDuration.clamped(to: Self.fades) } }
    /// Whether every pass fades in and out; otherwise the first pass fades in and the last one out.
    public var applyFadeOnEachLoop: Bool
    /// Whether the clip fades in at its beginning and out at its natural end. Without it a loop has no seam and a short
    /// sound keeps its attack; stopping and replacing fade in any case.
    public var fadesEnds: Bool
    /// The curve of the fades.
    public var fadeCurve: FadeCurve

    private var chosenCrossfade: TimeInterval?

    private static let fades: ClosedRange<TimeInterval> = 0.1...10
    private static let delays: ClosedRange<TimeInterval> = 0...600

    /// Creates a configuration; values outside their range are clamped.
    ///
    /// - Parameters:
    ///   - volume: Linear gain, 0…1.
    ///   - loopMode: How often the clip is played.
    ///   - loopDelay: Silence between passes in seconds, 0…600.
    ///   - fadeInDuration: Fade at the beginning in seconds, 0.1…10.
    ///   - fadeOutDuration: Fade at the end in seconds, 0.1…10.
    ///   - applyFadeOnEachLoop: Whether every pass fades in and out.
    ///   - fadeCurve: The curve of the fades.
    ///   - fadesEnds: Whether the clip fades in at its beginning and out at its natural end.
    ///   - crossfadeDuration: Overlap when the clip is replaced in seconds, 0.1…10; `nil` for the fade-out's length.
    public init(
        volume: Float = 1, loopMode: LoopMode = .once, loopDelay: TimeInterval = 0, fadeInDuration: TimeInterval = 0.1,
        fadeOutDuration: TimeInterval = 0.1, applyFadeOnEachLoop: Bool = false, fadeCurve: FadeCurve = .linear,
        fadesEnds: Bool = true, crossfadeDuration: TimeInterval? = nil
    ) {
        self.volume = volume.clamped(to: 0...1)
        self.loopMode = loopMode.clamped
        self.loopDelay = loopDelay.clamped(to: Self.delays)
        self.fadeInDuration = fadeInDuration.clamped(to: Self.fades)
        self.fadeOutDuration = fadeOutDuration.clamped(to: Self.fades)
        self.applyFadeOnEachLoop = applyFadeOnEachLoop
        self.fadesEnds = fadesEnds
        self.fadeCurve = fadeCurve
        chosenCrossfade = crossfadeDuration?.clamped(to: Self.fades)
    }

    /// Creates a configuration, with the order of arguments that ProsperPlayer has; values outside their range are clamped.
    ///
    /// - Parameters:
    ///   - loopMode: How often the clip is played.
    ///   - loopDelay: Silence between passes in seconds, 0…600.
    ///   - volume: Linear gain, 0…1.
    ///   - fadeInDuration: Fade at the beginning in seconds, 0.1…10.
    ///   - fadeOutDuration: Fade at the end in seconds, 0.1…10.
    ///   - fadeCurve: The curve of the fades.
    ///   - applyFadeOnEachLoop: Whether every pass fades in and out.
    public init(
        loopMode: LoopMode, loopDelay: TimeInterval = 0, volume: Float, fadeInDuration: TimeInterval = 0.1,
        fadeOutDuration: TimeInterval = 0.1, fadeCurve: FadeCurve = .linear, applyFadeOnEachLoop: Bool = false
    ) {
        self.init(
            volume: volume, loopMode: loopMode, loopDelay: loopDelay, fadeInDuration: fadeInDuration,
            fadeOutDuration: fadeOutDuration, applyFadeOnEachLoop: applyFadeOnEachLoop, fadeCurve: fadeCurve)
    }

    /// Whether every value is within its range: always, because values are clamped.
    public var isValid: Bool { true }

    /// Overlap of the old and the new clip in `replaceOverlay(url:)` in seconds, 0.1…10; as long as the fade-out
    /// unless it was set.
    public var crossfadeDuration: TimeInterval {
        get { chosenCrossfade ?? fadeOutDuration }
        set { chosenCrossfade = newValue.clamped(to: Self.fades) }
    }

    /// Background sound: 0.3, endless, 2 s fades.
    public static let ambient = OverlayConfiguration(
        volume: 0.3, loopMode: .infinite, fadeInDuration: 2, fadeOutDuration: 2)

    /// A short sound: 0.7, once, 0.3 s fades.
    public static let notification = OverlayConfiguration(volume: 0.7, fadeInDuration: 0.3, fadeOutDuration: 0.3)

    /// A bell or chime that comes again: 0.5, 0.5 s fades on every stroke.
    ///
    /// - Parameters:
    ///   - times: How many strokes, 1…1000.
    ///   - interval: Silence between two strokes in seconds, 0…600.
    public static func bell(times: Int, interval: TimeInterval) -> OverlayConfiguration {
        OverlayConfiguration(
            volume: 0.5, loopMode: .count(times), loopDelay: interval, fadeInDuration: 0.5, fadeOutDuration: 0.5,
            applyFadeOnEachLoop: true)
    }

    /// The plan that the engine follows.
    var loopPlan: LoopPlan {
        LoopPlan(
            passes: loopMode.passes, delay: loopDelay, fadeIn: fadesEnds ? fadeInDuration : 0,
            fadeOut: fadesEnds ? fadeOutDuration : 0, curve: fadeCurve, fadesEveryPass: applyFadeOnEachLoop)
    }
}

extension OverlayConfiguration: Codable {
    private enum CodingKeys: String, CodingKey {
        case volume, loopMode, loopDelay, fadeInDuration, fadeOutDuration, applyFadeOnEachLoop, fadeCurve, fadesEnds
        case chosenCrossfade = "crossfadeDuration"
    }

    /// Reads a configuration; values that are missing have their defaults, values outside their range are clamped.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys, _ standard: Value) throws -> Value {
            try values.decodeIfPresent(Value.self, forKey: key) ?? standard
        }
        let standard = OverlayConfiguration()
        self.init(
            volume: try value(.volume, standard.volume), loopMode: try value(.loopMode, standard.loopMode),
            loopDelay: try value(.loopDelay, standard.loopDelay),
            fadeInDuration: try value(.fadeInDuration, standard.fadeInDuration),
            fadeOutDuration: try value(.fadeOutDuration, standard.fadeOutDuration),
            applyFadeOnEachLoop: try value(.applyFadeOnEachLoop, standard.applyFadeOnEachLoop),
            fadeCurve: try value(.fadeCurve, standard.fadeCurve), fadesEnds: try value(.fadesEnds, standard.fadesEnds),
            crossfadeDuration: try values.decodeIfPresent(TimeInterval.self, forKey: .chosenCrossfade))
    }
}

/// How often an overlay is played.
public enum LoopMode: Sendable, Hashable, Codable {
    /// Once.
    case once
    /// A number of times, 1…1000.
    case count(Int)
    /// Until it is stopped.
    case infinite

    /// How many passes there are; `nil` for endlessly.
    public var passes: Int? {
        switch self {
        case .once: 1
        case .count(let count): count
        case .infinite: nil
        }
    }

    /// The same mode with its count within 1…1000.
    var clamped: LoopMode {
        guard case .count(let count) = self else { return self }
        return .count(count.clamped(to: 1...1000))
    }
}

/// Which overlay of a player is meant. A player has any number of them, each with its own clip, volume and loops.
public struct OverlayID: Sendable, Hashable, Codable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name; two overlays of a player differ in it.
    public let name: String

    /// Creates an identity.
    ///
    /// - Parameter name: Any name.
    public init(_ name: String) { self.name = name }

    /// Creates an identity from its name.
    ///
    /// - Parameter value: The name.
    public init(stringLiteral value: String) { self.init(value) }

    /// The overlay that is meant when none is named.
    public static let `default` = OverlayID("overlay")

    /// The name.
    public var description: String { name }
}

/// What an overlay is doing.
public enum OverlayState: String, Sendable, Hashable, Codable, CaseIterable {
    /// No overlay.
    case idle
    /// The overlay sounds, or the delay between two passes runs.
    case playing
    /// Frozen at a position, or within a delay.
    case paused
    /// Fading out towards ``idle``.
    case stopping
    /// One overlay fades into another.
    case crossfading

    /// Whether the overlay sounds: it plays, crossfades, fades out, or waits for the next pass.
    public var isPlaying: Bool { self == .playing || self == .crossfading || self == .stopping }
    /// Whether the overlay is frozen.
    public var isPaused: Bool { self == .paused }
    /// Whether there is no overlay.
    public var isIdle: Bool { self == .idle }
}
