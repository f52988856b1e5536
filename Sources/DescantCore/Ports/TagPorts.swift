public import Foundation

/// Reads the tags of a file.
public protocol TagReaderPort: AnyObject {
    /// Reads every tag the adapter understands.
    ///
    /// - Parameter url: A file URL.
    /// - Throws: ``CoreError/notFound(_:)``, ``CoreError/ioError(underlying:)``, ``CoreError/unsupported(_:)`` for a
    ///   container that carries no tags this adapter knows.
    func read(url: URL) throws -> TagBundle
}

/// Writes the tags of a file.
public protocol TagWriterPort: AnyObject {
    /// Writes the fields that are not `nil` and keeps everything else as it is.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - tags: The fields to change.
    /// - Throws: ``CoreError/notFound(_:)``, ``CoreError/ioError(underlying:)``, ``CoreError/unsupported(_:)`` for a
    ///   read-only or unknown container. After an error the file is as it was.
    func write(url: URL, tags: TagBundle) throws
}
