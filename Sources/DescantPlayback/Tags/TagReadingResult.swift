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

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - url: The file, or a folder that cannot be read.
    ///   - outcome: The track, or why there is none.
    ///   - progress: How far reading has come.
    public init(url: URL, outcome: Result<Track, CoreError>, progress: TagReadingProgress) {
        self.url = url
        self.outcome = outcome
        self.progress = progress
    }

    /// The track; `nil` when it cannot be read.
    public var track: Track? { try? outcome.get() }
}
