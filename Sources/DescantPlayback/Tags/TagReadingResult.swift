public import DescantCore
public import Foundation

/// One file of a ``TagReading``.
public struct TagReadingResult: Sendable {
    /// The file, or a folder that cannot be read.
    public var url: URL
    /// The track, or why there is none.
    public var outcome: Result<Track, CoreError>
    /// How far reading has come with this file.
    public var progress: TagReadingProgress

    /// The track; `nil` when it cannot be read.
    public var track: Track? { try? outcome.get() }
}

/// How far a ``TagReading`` has come.
public struct TagReadingProgress: Sendable, Hashable {
    /// Files that have been read, the failed ones included.
    public var filesRead: Int
    /// Files that are known of.
    public var filesFound: Int
    /// Whether every folder was looked into, so that no further files will be found.
    public var isComplete: Bool

    /// The share that has been read, 0…1; `nil` as long as further files may be found.
    public var fraction: Double? {
        guard isComplete else { return nil }
        return filesFound == 0 ? 1 : Double(filesRead) / Double(filesFound)
    }
}
