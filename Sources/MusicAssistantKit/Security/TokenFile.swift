public import Foundation
internal import Glibc

/// Stores tokens by server address, in a file that only its owner can read.
public struct TokenFile: Sendable {
    /// Where the file is.
    public let url: URL

    /// Creates a reference to a file; the file need not exist.
    ///
    /// - Parameter url: The file.
    public init(url: URL) { self.url = url }

    /// Reads the token for a server.
    ///
    /// - Parameter server: The server's address, as it was given to ``store(_:for:)``.
    /// - Returns: The token; nil when there is no file or no token in it.
    /// - Throws: ``TokenFileError`` when others can read the file, or it does not contain tokens.
    public func token(for server: URL) throws -> AccessToken? {
        try read()[server.absoluteString]?.stringValue.map { AccessToken($0) }
    }

    /// Writes the token for a server; the file has mode 0600 from its first byte on.
    ///
    /// - Parameters:
    ///   - token: The token; nil removes it.
    ///   - server: The server's address.
    /// - Throws: ``TokenFileError`` when the present file cannot be read or the new one cannot be written.
    public func store(_ token: AccessToken?, for server: URL) throws {
        var tokens = try read()
        tokens[server.absoluteString] = token.map { .string($0.secret) }
        try write(JSONValue.object(tokens).jsonBytes(sorted: true))
    }

    /// The file itself where ``url`` is a symbolic link to it. The mode of a link does not count.
    private var target: URL {
        guard let path = realpath(url.path, nil) else { return url }
        defer { free(path) }
        return URL(fileURLWithPath: String(cString: path))
    }

    private func read() throws -> [String: JSONValue] {
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: target.path)
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
            return [:]
        }
        // A link whose file does not exist.
        if attributes[.type] as? FileAttributeType == .typeSymbolicLink { return [:] }
        let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
        guard mode & 0o077 == 0 else { throw TokenFileError.readableByOthers(url.path) }
        guard let members = (try? JSONValue(parsing: Data(contentsOf: url)))?.objectValue else {
            throw TokenFileError.unreadable(url.path)
        }
        return members
    }

    /// The new file replaces the old one atomically, so that no reader sees an incomplete file.
    private func write(_ bytes: [UInt8]) throws {
        let target = target
        let folder = target.deletingLastPathComponent()
        let new = folder.appendingPathComponent(".\(target.lastPathComponent).\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try writeNewFile(bytes, at: new.path)
            guard rename(new.path, target.path) == 0 else { throw TokenFileError.notWritten(url.path, errno) }
        } catch {
            try? FileManager.default.removeItem(at: new)
            throw error
        }
    }

    private func writeNewFile(_ bytes: [UInt8], at path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TokenFileError.notWritten(url.path, errno) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data(bytes))
        try file.synchronize()
        try file.close()
    }
}
