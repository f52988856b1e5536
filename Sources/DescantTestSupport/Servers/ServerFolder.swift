internal import Foundation

/// A folder for the files and sockets of one server; it is removed with its last reference.
///
/// It lies in `/tmp`, wherever TMPDIR points: the address of a socket has at most 107 bytes.
final class ServerFolder: Sendable {
    let url: URL

    init(label: String) throws {
        url = URL(fileURLWithPath: "/tmp/\(label)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Links the server's own socket at ``clientSocket``, in place of an older link.
    func publishSocket(at socket: URL) throws {
        unpublishSocket()
        try FileManager.default.createSymbolicLink(at: clientSocket, withDestinationURL: socket)
    }

    /// Removes the link at ``clientSocket``: clients can no longer connect.
    func unpublishSocket() { try? FileManager.default.removeItem(at: clientSocket) }

    /// The path of the socket that clients connect to, a symbolic link.
    var clientSocket: URL { file("client-socket") }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    func write(_ data: Data, to name: String) throws -> URL {
        try data.write(to: file(name))
        return file(name)
    }
}
