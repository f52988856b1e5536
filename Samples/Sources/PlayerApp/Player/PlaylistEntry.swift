public import Foundation

/// One line of the playlist as views show it.
public struct PlaylistEntry: Sendable, Hashable {
    /// Where the sound is.
    public var url: URL
    /// The tagged title, or the file's name until tags are known.
    public var title: String
    /// The tagged artist.
    public var artist: String?
    /// The tagged album.
    public var album: String?
    /// Length in seconds; `nil` while unknown.
    public var duration: TimeInterval?
    /// Codec, sample rate and channels as text: "FLAC · 44.1 kHz · stereo".
    public var format: String?
    /// Why the track could not be played; `nil` without an error.
    public var failure: String?

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - url: Where the sound is.
    ///   - title: What to show; the file's name without its extension by default.
    ///   - artist: The artist.
    ///   - duration: Length in seconds.
    public init(url: URL, title: String? = nil, artist: String? = nil, duration: TimeInterval? = nil) {
        self.url = url
        self.title = title ?? url.deletingPathExtension().lastPathComponent
        self.artist = artist
        self.duration = duration
    }

    /// The part of the file that the track is, as a CUE sheet gives it; `nil` for the whole file.
    public var part: TrackPart? { TrackPart(of: url) }
}
