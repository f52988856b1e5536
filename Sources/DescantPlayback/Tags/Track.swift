public import DescantCore
public import Foundation

/// A file with what its tags say, as lists and players show it.
public struct Track: Sendable, Hashable, Codable, Identifiable {
    /// The track's own identity: the same file twice is two tracks.
    public let id: UUID
    /// Where the sound is.
    public var url: URL
    /// Every tag that was read.
    public var tags: TagBundle

    /// Creates a track.
    ///
    /// - Parameters:
    ///   - url: Where the sound is.
    ///   - tags: What its tags say.
    ///   - id: Its identity; a fresh one by default.
    public init(url: URL, tags: TagBundle = TagBundle(), id: UUID = UUID()) {
        self.id = id
        self.url = url
        self.tags = tags
    }

    /// The tagged title, or the file's name without its extension.
    public var title: String {
        if let title = tags.title, !title.isEmpty { return title }
        return url.deletingPathExtension().lastPathComponent
    }

    /// The tagged artists as one text; `nil` without any.
    public var artist: String? { tags.artist }

    /// The tagged album; `nil` without one.
    public var album: String? { tags.album }

    /// Length in seconds, as the file's headers say; `nil` when unknown.
    public var duration: Double? { tags.technical?.duration }
}
