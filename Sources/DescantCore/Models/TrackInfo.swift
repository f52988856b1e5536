public import Foundation

/// The coded form of a track, as a person would describe the file.
public struct AudioFormat: Sendable, Hashable, Codable {
    /// Frames per second, in Hz.
    public var sampleRate: Double
    /// Channels in the source.
    public var channelCount: Int
    /// Bits per sample, for lossless codecs.
    public var bitDepth: Int?
    /// The codec's name: "FLAC", "MPEG-1 Layer 3 (MP3)", "Opus", …; empty when unknown.
    public var codec: String

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames per second, in Hz.
    ///   - channelCount: Channels in the source.
    ///   - bitDepth: Bits per sample, for lossless codecs.
    ///   - codec: The codec's name.
    public init(sampleRate: Double, channelCount: Int, bitDepth: Int? = nil, codec: String = "") {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.bitDepth = bitDepth
        self.codec = codec
    }
}

/// What a player shows of a track.
public struct TrackInfo: Sendable, Hashable, Codable {
    /// The tagged title, or the file's name without its extension.
    public var title: String
    /// The tagged artist.
    public var artist: String?
    /// Length in seconds; 0 when unknown.
    public var duration: TimeInterval
    /// The coded form.
    public var format: AudioFormat
    /// Every tag the engine knows of.
    public var tags: TagBundle
    /// The tagged loudness; `nil` when there is none.
    public var replayGain: ReplayGainTags?

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - title: The title to show.
    ///   - artist: The artist, if known.
    ///   - duration: Length in seconds; 0 when unknown.
    ///   - format: The coded form.
    ///   - tags: Every tag the engine knows of.
    ///   - replayGain: The tagged loudness; `nil` when there is none.
    public init(
        title: String, artist: String? = nil, duration: TimeInterval, format: AudioFormat,
        tags: TagBundle = TagBundle(), replayGain: ReplayGainTags? = nil
    ) {
        self.title = title
        self.artist = artist
        self.duration = duration
        self.format = format
        self.tags = tags
        self.replayGain = replayGain
    }
}
