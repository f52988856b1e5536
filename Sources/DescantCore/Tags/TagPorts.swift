public import Foundation

/// Reads the tags of a file.
///
/// A reader that is `Sendable` may be called from several threads at once; any other is called by one thread at a time. Calls
/// block on the disk.
public protocol TagReaderPort: AnyObject {
    /// Reads every tag the adapter understands.
    ///
    /// Texts are trimmed at both ends; "7/12" gives a number and a total; the year is the first four digits of a date,
    /// 1000…9999; numbers below 1 count as absent; pictures are left out that pass ``TagPicture/sizeLimit`` or whose first
    /// bytes are no image's.
    ///
    /// - Parameter url: A file URL.
    /// - Returns: The tags; an empty bundle (``TagBundle/isEmpty``) for a file that could have some and has none.
    /// - Throws: ``CoreError/notFound(_:)``; ``CoreError/ioError(underlying:)`` for a directory or without permission;
    ///   ``CoreError/unsupported(_:)`` for a container that carries no tags this adapter knows;
    ///   ``CoreError/decodeError(_:)`` for a damaged one. The message names the file.
    func read(url: URL) throws -> TagBundle
}

/// Writes the tags of a file.
///
/// A writer that is `Sendable` may be called from several threads at once, for different files; any other is called by one thread
/// at a time. Calls block on the disk.
public protocol TagWriterPort: AnyObject {
    /// Writes the fields that are not `nil` and keeps everything else as it is: other fields, fields this library does not
    /// know, and every byte of the sound.
    ///
    /// Whatever happens on the way, the file is the old or the new one, never something between.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - tags: The fields to change. ``TagBundle/technical`` is ignored.
    /// - Throws: ``CoreError/notFound(_:)``; ``CoreError/ioError(underlying:)`` for a directory, a read-only file, without
    ///   permission or without room; ``CoreError/unsupported(_:)`` for an unknown container, or a field that the container
    ///   has no place for; ``CoreError/invalidArgument(_:)`` for a number outside its range or a picture that is none;
    ///   ``CoreError/decodeError(_:)`` for a damaged file. After an error the file is as it was.
    func write(url: URL, tags: TagBundle) throws
}

/// What the headers of a file say about its sound.
///
/// Good for showing; a decoder's ``StreamInfo`` is what playback relies on.
public struct TechnicalProperties: Sendable, Hashable, Codable {
    /// Whether decoding gives back the very samples that were encoded.
    public enum Encoding: String, Sendable, Hashable, Codable {
        /// Samples come back changed.
        case lossy
        /// Samples come back as they were.
        case lossless
    }

    /// Length in seconds; `nil` when unknown.
    public var duration: Double?
    /// Mean bits per second; `nil` when unknown.
    public var bitrate: Int?
    /// Frames per second, in Hz; `nil` when unknown.
    public var sampleRate: Int?
    /// Samples per frame; `nil` when unknown.
    public var channels: Int?
    /// Bits per sample, for lossless codecs; `nil` when unknown.
    public var bitDepth: Int?
    /// The file's length in bytes; `nil` when unknown.
    public var fileSize: Int64?
    /// The codec's name: "FLAC", "MP3", "Opus", …; `nil` when unknown.
    public var codec: String?
    /// Whether the codec loses anything; `nil` when unknown.
    public var encoding: Encoding?
    /// The chapters, in the order of their beginnings; `nil` without any.
    public var chapters: [Chapter]?

    /// Creates a description; every part defaults to unknown.
    public init() {}
}

/// A named part of a file, such as a chapter of an audio book.
public struct Chapter: Sendable, Hashable, Codable {
    /// How many chapters of a file are read at most.
    public static let limit = 10_000

    /// What a person sees; empty when the file has no name for it.
    public var title: String
    /// Where it begins, in seconds from the beginning of the file, 0 or more. It ends where the next one begins.
    public var start: Double

    /// Creates a chapter.
    ///
    /// - Parameters:
    ///   - title: What a person sees.
    ///   - start: Where it begins, in seconds.
    public init(title: String, start: Double) {
        self.title = title
        self.start = start
    }
}
