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

/// How loud a track and its album are, as their tags say.
///
/// Gains are decibels relative to ReplayGain's reference level (-18 LUFS, or 89 dB SPL in the words of version 1), whatever
/// reference the file itself was measured against. Peaks are linear; 1 is full scale.
public struct ReplayGainTags: Sendable, Hashable, Codable {
    /// The gain that brings the track to the reference level, in decibels.
    public var trackGain: Double?
    /// The track's maximum magnitude, linear.
    public var trackPeak: Double?
    /// The gain that brings the album to the reference level, in decibels.
    public var albumGain: Double?
    /// The album's maximum magnitude, linear.
    public var albumPeak: Double?

    /// Creates a description; absent values are `nil`.
    ///
    /// - Parameters:
    ///   - trackGain: The track's gain in decibels.
    ///   - trackPeak: The track's maximum magnitude, linear.
    ///   - albumGain: The album's gain in decibels.
    ///   - albumPeak: The album's maximum magnitude, linear.
    public init(
        trackGain: Double? = nil, trackPeak: Double? = nil, albumGain: Double? = nil, albumPeak: Double? = nil
    ) {
        self.trackGain = trackGain
        self.trackPeak = trackPeak
        self.albumGain = albumGain
        self.albumPeak = albumPeak
    }

    /// Whether nothing is known.
    public var isEmpty: Bool { self == ReplayGainTags() }
}
