public import Descant
internal import Foundation

/// How a playlist sounds, live or into a file.
public struct PlayOptions: Sendable {
    /// Crossfades, repeats, volume.
    public var configuration: PlayerConfiguration
    /// The seed of a shuffled order; `nil` for the playlist's own.
    public var shuffleSeed: UInt64?
    /// Speed, pitch kept, 0.5…3.
    public var rate = 1.0
    /// How loudness tags are used.
    public var replayGain = ReplayGainSettings()
    /// The equaliser of the mix.
    public var equalizer = EqualizerSettings()
    /// Sounds over the tracks; the first one is the one that timeline commands act on.
    public var overlays: [OverlayRequest] = []
    /// How far the tracks make way for overlays and effects; `nil` for not at all.
    public var ducking: Ducking?
    /// Whether the overlays are music, too: tracks and overlays then make way for effects, and for nothing else.
    public var overlaysAreMusic = false
    /// What gives sound to URLs that no engine opens, such as texts to be spoken; `nil` for nothing.
    public var trackSources: (any TrackSourceProvider)?
    /// Commands on the way.
    public var steps: [TimelineStep] = []

    /// Creates options.
    ///
    /// - Parameter configuration: Crossfades, repeats, volume.
    public init(configuration: PlayerConfiguration = PlayerConfiguration(crossfadeDuration: 0)) {
        self.configuration = configuration
    }

    /// Whether playing goes on until somebody stops it.
    public var isEndless: Bool {
        configuration.repeatMode != .off && configuration.repeatCount == nil
            && !steps.contains { $0.command == .stop }
    }

    /// Every file that sounds beside the tracks.
    var filesBeside: [URL] {
        overlays.map(\.url)
            + steps.compactMap { step in
                switch step.command {
                case .replace(let url), .overlayReplace(let url), .effect(let url): url
                default: nil
                }
            }
    }
}
