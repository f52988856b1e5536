public import Foundation

/// An open file behind a ``FileAccessPort``.
public struct FileHandleToken: Hashable, Sendable {
    /// The token's identity.
    public let id: UUID

    /// Creates a token.
    ///
    /// - Parameter id: The token's identity; a fresh one by default.
    public init(id: UUID = UUID()) { self.id = id }
}

/// What a seek offset counts from.
public enum FileSeekOrigin: Sendable, Hashable {
    /// The file's first byte.
    case start
    /// The present position.
    case current
    /// One past the file's last byte.
    case end
}

/// Reads files, within the roots that an adapter allows.
public protocol FileAccessPort: AnyObject {
    /// Opens a file for reading.
    ///
    /// - Parameter url: A file URL.
    /// - Throws: ``CoreError/notFound(_:)``; ``CoreError/ioError(underlying:)`` without permission or outside the
    ///   allowed roots.
    func open(url: URL) throws -> FileHandleToken

    /// Reads bytes at the present position.
    ///
    /// - Parameters:
    ///   - token: An open file.
    ///   - buffer: Room for `count` bytes.
    ///   - count: The maximum number of bytes to read.
    /// - Returns: The number of bytes read; 0 at the end.
    /// - Throws: ``CoreError/invalidState(_:)`` for a closed token, ``CoreError/ioError(underlying:)``.
    func read(_ token: FileHandleToken, into buffer: UnsafeMutableRawPointer, count: Int) throws -> Int

    /// Moves the present position.
    ///
    /// - Parameters:
    ///   - token: An open file.
    ///   - offset: Bytes from the origin.
    ///   - origin: What the offset counts from.
    /// - Throws: ``CoreError/invalidArgument(_:)`` outside the file, ``CoreError/invalidState(_:)`` for a closed token.
    func seek(_ token: FileHandleToken, offset: Int64, origin: FileSeekOrigin) throws

    /// The file's length in bytes.
    ///
    /// - Parameter token: An open file.
    /// - Throws: ``CoreError/invalidState(_:)`` for a closed token.
    func size(_ token: FileHandleToken) throws -> Int64

    /// Closes a file; harmless on a closed token.
    ///
    /// - Parameter token: The token to close.
    func close(_ token: FileHandleToken)
}

/// A file access whose open files can be opened again without their names.
///
/// A decoder opens files by itself. Given the URL of an open file it reads that very file, whatever has taken the file's name
/// meanwhile.
public protocol ReopenableFileAccess: FileAccessPort {
    /// A URL that leads to an open file within this process, until the token is closed.
    ///
    /// - Parameter token: An open file.
    /// - Throws: ``CoreError/invalidState(_:)`` for a closed token.
    func reopeningURL(of token: FileHandleToken) throws -> URL
}
