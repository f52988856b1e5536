public import Descant
public import Foundation

/// What is to be rendered, and how.
public struct RenderRequest: Sendable {
    /// The tracks, in order.
    public var inputs: [URL]
    /// The file to write; it is replaced.
    public var output: URL
    /// How samples are written.
    public var encoding: SampleEncoding = .f32
    /// Whether the file is FLAC, with 16 bits for ``SampleEncoding/s16`` and 24 otherwise.
    public var writesFLAC = false
    /// Overlap of tracks in seconds; 0 joins them gapless.
    public var crossfade: TimeInterval = 0
    /// The curve of crossfades.
    public var curve = FadeCurve.equalPower
    /// A sound over the tracks.
    public var overlay: OverlayRequest?
    /// Master volume, 0…100.
    public var volume = 100
    /// Speed, pitch kept.
    public var rate = 1.0
    /// The output's frames per second, in Hz; `nil` takes the first track's.
    public var sampleRate: Int?
    /// The output's channels; `nil` gives mono when every track is mono, otherwise stereo.
    public var channels: Int?
    /// What happens on the way.
    public var actions: [TimelineAction] = []

    /// Creates a request with every option at its default.
    ///
    /// - Parameters:
    ///   - inputs: The tracks, in order.
    ///   - output: The file to write.
    public init(inputs: [URL], output: URL) {
        self.inputs = inputs
        self.output = output
    }

    var destination: OutputDestination {
        writesFLAC ? .flac(output, bits: encoding == .s16 ? 16 : 24) : .wav(output, encoding)
    }

    /// Integers cannot hold what exceeds full scale, and only a sum of sounds can exceed it: otherwise every sample stays
    /// as it was decoded.
    var needsLimiter: Bool { (encoding != .f32 || writesFLAC) && (crossfade > 0 || overlay != nil) }

    var configuration: PlayerConfiguration {
        PlayerConfiguration(
            crossfadeDuration: crossfade, fadeCurve: curve, repeatMode: .off, volume: volume, fadeInAtStart: false)
    }
}
