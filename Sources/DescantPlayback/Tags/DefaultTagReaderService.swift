public import DescantCore
public import Foundation
internal import Synchronization

/// Reads tags through a port.
///
/// May be called from any number of threads. A port that is `Sendable` is called from several at once, any other by one at a time.
public final class DefaultTagReaderService: TagReaderService, Sendable {
    private let read: @Sendable (URL) throws -> Track
    private let parallelism: Int
    private let findExtensions: @Sendable () -> Set<String>

    /// Extensions of the files that are read in folders.
    public var fileExtensions: Set<String> { findExtensions() }

    /// Creates a service on a port that may be called from several threads.
    ///
    /// - Parameters:
    ///   - tagReaderPort: Reads the tags.
    ///   - parallelism: How many files are read at once in bulk, 1 or more; as many as there are processor cores by default.
    ///   - fileExtensions: Extensions of the files that are read in folders, in lower case; asked for each folder, on any thread.
    public init(
        tagReaderPort: any TagReaderPort & Sendable, parallelism: Int = ProcessInfo.processInfo.activeProcessorCount,
        fileExtensions: @escaping @Sendable () -> Set<String> = { TagReading.fileExtensions }
    ) {
        findExtensions = fileExtensions
        self.parallelism = max(1, parallelism)
        read = { Track(url: $0, tags: try tagReaderPort.read(url: $0)) }
    }

    /// Creates a service on any port: it is called by one thread at a time, and bulk reading is no faster than that.
    ///
    /// - Parameter tagReaderPort: Reads the tags; must not be called by others meanwhile.
    public init(tagReaderPort: any TagReaderPort) {
        let reader = SerialTagReader(tagReaderPort)
        parallelism = 1
        findExtensions = { TagReading.fileExtensions }
        read = { Track(url: $0, tags: try reader.read(url: $0)) }
    }

    /// Reads one file. Blocks on the disk.
    ///
    /// - Parameter url: A file URL.
    /// - Returns: The file with its tags.
    /// - Throws: `CoreError`, as `TagReaderPort` says.
    public func readMetadata(for url: URL) throws -> Track { try read(url) }

    /// Reads files, several at once.
    ///
    /// - Parameter urls: File URLs.
    /// - Returns: A result for each file, in their order.
    public func readMetadata(of urls: [URL]) -> TagReading {
        TagReading(files: AudioFileList(files: urls), parallelism: parallelism, read: read)
    }

    /// Reads every audio file in a folder and the folders inside it, several at once.
    ///
    /// - Parameter folder: A folder.
    /// - Returns: A result for each file, in the order of the names in each folder.
    public func readMetadata(in folder: URL) -> TagReading {
        TagReading(
            files: AudioFileList(folder: folder, extensions: fileExtensions), parallelism: parallelism, read: read)
    }
}

/// A port that is not `Sendable`, behind a lock.
///
/// Unchecked as the port's type cannot tell: it is reached through the lock only, so calls never overlap, and each sees what the one
/// before it did.
final class SerialTagReader: @unchecked Sendable {
    private let lock = Mutex(())
    private let port: any TagReaderPort

    init(_ port: any TagReaderPort) { self.port = port }

    func read(url: URL) throws -> TagBundle { try lock.withLock { _ in try port.read(url: url) } }
}
