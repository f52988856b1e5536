public import DescantCore
public import Foundation

/// The tags of many files as an asynchronous sequence.
///
/// Each iteration reads the files again, and gives their results in the order of the files, whichever is read first. Only a few dozen files are read ahead: a slow reader of the results slows
/// the reading, and memory stays flat whatever the number of files. Reading ends with the iteration, or when its task is cancelled.
public struct TagReading: AsyncSequence {
    /// A file's result.
    public typealias Element = TagReadingResult

    /// Extensions of the files that are read in folders without plugins, in lower case; see ``TagReaderService/fileExtensions``.
    public static let fileExtensions: Set<String> = [
        "mp3", "mp2", "aac", "m4a", "m4b", "mp4", "flac", "ogg", "oga", "opus", "spx", "wav", "aif", "aiff", "aifc",
        "wma",
        "asf", "ape", "wv", "mpc", "tta", "dsf", "dff",
    ]

    private let files: AudioFileList
    private let parallelism: Int
    private let readConcurrently: (@Sendable (URL) throws -> Track)?
    private let readHere: ((URL) throws -> Track)?

    /// Several files are read at once, on threads of their own.
    init(files: AudioFileList, parallelism: Int, read: @escaping @Sendable (URL) throws -> Track) {
        self.files = files
        self.parallelism = parallelism
        readConcurrently = read
        readHere = nil
    }

    /// Each file is read when its result is asked for, where it is asked for.
    init(files: AudioFileList, read: @escaping (URL) throws -> Track) {
        self.files = files
        parallelism = 1
        readConcurrently = nil
        readHere = read
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        if let readConcurrently {
            let work = TagReadingWork(files: files, parallelism: parallelism, read: readConcurrently)
            return Iterator(session: TagReadingSession(work), files: files, readHere: nil)
        }
        return Iterator(session: nil, files: files, readHere: readHere)
    }

    /// Reads once through the files.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let session: TagReadingSession?
        fileprivate var files: AudioFileList
        fileprivate let readHere: ((URL) throws -> Track)?
        private var ready: ArraySlice<TagReadingResult> = []
        private var filesRead = 0

        fileprivate init(session: TagReadingSession?, files: AudioFileList, readHere: ((URL) throws -> Track)?) {
            self.session = session
            self.files = files
            self.readHere = readHere
        }

        /// The next file; `nil` when all are read or the task was cancelled.
        public mutating func next() async -> TagReadingResult? { await next(isolation: nil) }

        /// The next file; `nil` when all are read or the task was cancelled.
        ///
        /// - Parameter actor: The actor whose isolation the caller runs in.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> TagReadingResult? {
            if let result = ready.popFirst() { return result }
            if let session {
                ready = await session.work.next(isolation: actor)[...]
                return ready.popFirst()
            }
            guard let readHere, !Task.isCancelled, let found = files.next() else { return nil }
            filesRead += 1
            let (url, outcome) = TagReadingWork.outcome(of: found, readHere)
            let progress = TagReadingProgress(
                filesRead: filesRead, filesFound: files.foundCount, isComplete: files.isComplete)
            return TagReadingResult(url: url, outcome: outcome, progress: progress)
        }
    }
}

/// Ends the work when the last iterator is released.
final class TagReadingSession: Sendable {
    let work: TagReadingWork

    init(_ work: TagReadingWork) { self.work = work }

    deinit { work.cancel() }
}

/// How far a ``TagReading`` has come.
public struct TagReadingProgress: Sendable, Hashable {
    /// Files that have been read, the failed ones included.
    public var filesRead: Int
    /// Files that are known of.
    public var filesFound: Int
    /// Whether every folder was looked into, so that no further files will be found.
    public var isComplete: Bool

    /// Creates a progress.
    ///
    /// - Parameters:
    ///   - filesRead: Files that have been read.
    ///   - filesFound: Files that are known of.
    ///   - isComplete: Whether no further files will be found.
    public init(filesRead: Int, filesFound: Int, isComplete: Bool) {
        self.filesRead = filesRead
        self.filesFound = filesFound
        self.isComplete = isComplete
    }

    /// The share that has been read, 0…1; `nil` as long as further files may be found.
    public var fraction: Double? {
        guard isComplete else { return nil }
        return filesFound == 0 ? 1 : Double(filesRead) / Double(filesFound)
    }
}

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
