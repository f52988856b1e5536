public import Foundation

/// Reads the tags of files and gives tracks: what an app asks, rather than a port.
public protocol TagReaderService: AnyObject {
    /// Extensions of the files that are read in folders, in lower case.
    var fileExtensions: Set<String> { get }

    /// Reads one file. Blocks on the disk.
    ///
    /// - Parameter url: A file URL.
    /// - Returns: The file with its tags.
    /// - Throws: `CoreError`, as `TagReaderPort` says.
    func readMetadata(for url: URL) throws -> Track

    /// Reads files one after the other, as fast as the results are taken.
    ///
    /// - Parameter urls: File URLs.
    /// - Returns: A sequence with a result for each file; files are read when it is iterated.
    func readMetadata(of urls: [URL]) -> TagReading

    /// Reads every audio file in a folder and the folders inside it, as fast as the results are taken.
    ///
    /// - Parameter folder: A folder.
    /// - Returns: A sequence with a result for each file that ``fileExtensions`` names, and one for each folder that
    ///   cannot be read; the folder is read when it is iterated.
    func readMetadata(in folder: URL) -> TagReading
}

extension TagReaderService {
    /// Those of ``TagReading/fileExtensions``.
    public var fileExtensions: Set<String> { TagReading.fileExtensions }

    /// Reads each file when its result is asked for, with ``readMetadata(for:)``.
    ///
    /// - Parameter urls: File URLs.
    public func readMetadata(of urls: [URL]) -> TagReading {
        TagReading(files: AudioFileList(files: urls)) { try self.readMetadata(for: $0) }
    }

    /// Reads each file when its result is asked for, with ``readMetadata(for:)``.
    ///
    /// - Parameter folder: A folder.
    public func readMetadata(in folder: URL) -> TagReading {
        TagReading(files: AudioFileList(folder: folder, extensions: fileExtensions)) { try self.readMetadata(for: $0) }
    }
}
