public import Foundation
internal import Glibc
internal import Synchronization

/// Reads files of this machine, within roots if there are any.
///
/// A file counts as lying where it really is: a symbolic link inside a root that leads out of it is refused, and so is
/// "..". This is checked on the opened file, so nothing can be exchanged in between. Callable from any thread; calls for one
/// token belong to one thread at a time.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#files -->
/// ```swift
/// let files = LocalFileAccess(roots: [musicFolder])
/// let token = try files.open(url: musicFolder.appendingPathComponent("song.flac"))
/// defer { files.close(token) }
/// print(try files.size(token))
/// ```
public final class LocalFileAccess: ReopenableFileAccess, Sendable {
    /// The folders, by their real paths; `nil` for every file.
    private let roots: [String]?
    private let files = Mutex<[FileHandleToken: PositionedFile]>([:])

    /// Creates a file access.
    ///
    /// - Parameter roots: The folders whose files may be opened, with everything below them; `nil` allows every file that the user
    ///   may read, and an empty list none.
    public init(roots: [URL]? = nil) {
        self.roots = roots?.map { Self.realPath(of: $0.path) ?? $0.standardizedFileURL.path }
    }

    /// Opens a file for reading.
    ///
    /// - Parameter url: A file URL.
    /// - Throws: ``CoreError/notFound(_:)``; ``CoreError/ioError(underlying:)`` without permission, outside the roots, or for
    ///   what is not a file; ``CoreError/unsupported(_:)`` for an address of a network.
    public func open(url: URL) throws -> FileHandleToken {
        guard url.isFileURL else {
            throw CoreError.unsupported("\(url.withoutSecrets.absoluteString): only files can be opened")
        }
        let path = url.path
        let file: LocalFile
        do {
            file = try LocalFile(path: path)
        } catch {
            // A path outside of the folders is refused whether it exists or not.
            throw roots == nil || Self.realFolder(of: path).map(isAllowed) == true ? error : outside(path)
        }
        guard let real = Self.realPath(of: file.reopeningPath), isAllowed(real) else { throw outside(path) }
        try file.examine()
        let token = FileHandleToken()
        let opened = PositionedFile(file, url: url)
        files.withLock { $0[token] = opened }
        return token
    }

    /// Reads bytes at the present position.
    ///
    /// - Parameters:
    ///   - token: An open file.
    ///   - buffer: Room for `count` bytes.
    ///   - count: The maximum number of bytes to read.
    /// - Returns: The number of bytes read; 0 at the end.
    /// - Throws: ``CoreError/invalidState(_:)`` for a closed token, ``CoreError/invalidArgument(_:)`` for a negative count,
    ///   ``CoreError/ioError(underlying:)``.
    public func read(_ token: FileHandleToken, into buffer: UnsafeMutableRawPointer, count: Int) throws -> Int {
        try file(token).read(into: buffer, count: count)
    }

    /// Moves the present position.
    ///
    /// - Parameters:
    ///   - token: An open file.
    ///   - offset: Bytes from the origin.
    ///   - origin: What the offset counts from.
    /// - Throws: ``CoreError/invalidArgument(_:)`` before the beginning or behind the end of the file,
    ///   ``CoreError/invalidState(_:)`` for a closed token.
    public func seek(_ token: FileHandleToken, offset: Int64, origin: FileSeekOrigin) throws {
        try file(token).seek(offset: offset, origin: origin)
    }

    /// The file's length in bytes.
    ///
    /// - Parameter token: An open file.
    /// - Throws: ``CoreError/invalidState(_:)`` for a closed token, ``CoreError/ioError(underlying:)``.
    public func size(_ token: FileHandleToken) throws -> Int64 { try file(token).size() }

    /// The URL of an open file's descriptor in this process.
    ///
    /// - Parameter token: An open file.
    /// - Throws: ``CoreError/invalidState(_:)`` for a closed token.
    public func reopeningURL(of token: FileHandleToken) throws -> URL { try file(token).reopeningURL }

    /// Closes a file; harmless on a closed token.
    ///
    /// - Parameter token: The token to close.
    public func close(_ token: FileHandleToken) {
        // The file closes when the last call on it has returned.
        files.withLock { _ = $0.removeValue(forKey: token) }
    }

    private func file(_ token: FileHandleToken) throws -> PositionedFile {
        guard let file = files.withLock({ $0[token] }) else {
            throw CoreError.invalidState("the file \(token.id) is not open; open it again")
        }
        return file
    }

    // MARK: Roots

    private func isAllowed(_ real: String) -> Bool {
        guard let roots else { return true }
        return roots.contains { real == $0 || real.hasPrefix($0 == "/" ? $0 : $0 + "/") }
    }

    private func outside(_ path: String) -> CoreError {
        .ioError("\(path) lies outside the folders that may be read; add its folder to the roots")
    }

    /// The real path of the folder of a file that could not be opened, or of the nearest folder above it that exists; `nil` when ".."
    /// stands behind that one, which leads anywhere.
    private static func realFolder(of path: String) -> String? {
        var names = path.split(separator: "/")[...]
        while names.popLast() != nil {
            if let real = realPath(of: "/" + names.joined(separator: "/")) { return real }
            if names.last == ".." { return nil }
        }
        return nil
    }

    private static func realPath(of path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

/// An open file of a ``LocalFileAccess``, and the present position in it.
private final class PositionedFile: Sendable {
    private let file: LocalFile
    private let position = Mutex<Int64>(0)

    init(_ file: LocalFile, url: URL) {
        self.file = file
        OpenedFileNames.add(url, for: file.reopeningPath)
    }

    // The descriptor is closed after this, and then another file may get its number.
    deinit { OpenedFileNames.remove(file.reopeningPath) }

    var reopeningURL: URL { URL(fileURLWithPath: file.reopeningPath, isDirectory: false) }

    func size() throws -> Int64 { try file.examine() }

    func read(into buffer: UnsafeMutableRawPointer, count: Int) throws -> Int {
        guard count >= 0 else { throw CoreError.invalidArgument("\(file.path): \(count) bytes cannot be read") }
        return try position.withLock { position in
            let read = try file.read(into: buffer, count: count, at: position)
            position += Int64(read)
            return read
        }
    }

    func seek(offset: Int64, origin: FileSeekOrigin) throws {
        let size = try size()
        try position.withLock { position in
            let base: Int64 =
                switch origin {
                case .start: 0
                case .current: position
                case .end: size
                }
            let (target, overflows) = base.addingReportingOverflow(offset)
            guard !overflows, (0...size).contains(target) else {
                throw CoreError.invalidArgument(
                    "\(file.path): byte \(offset) from \(origin) is not within its \(size) bytes")
            }
            position = target
        }
    }
}

/// The URLs that the open files of every ``LocalFileAccess`` were asked for by.
///
/// A decoder opens such a file by its descriptor, which has no name. The system knows where the file lies, and not the name that was asked
/// for: that of a symbolic link, for example, or one that another file has taken meanwhile.
enum OpenedFileNames {
    /// By the path of the descriptor in this process.
    private static let urls = Mutex<[String: URL]>([:])

    static func add(_ url: URL, for path: String) { urls.withLock { $0[path] = url } }

    static func remove(_ path: String) { urls.withLock { _ = $0.removeValue(forKey: path) } }

    /// The extension of a file's name, in lower case and without its dot: of the name that was asked for when the URL is that of a
    /// descriptor.
    static func fileExtension(of url: URL) -> String {
        let path = url.path
        return (urls.withLock { $0[path] } ?? url).pathExtension.lowercased()
    }
}
