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

    /// Makes the socket at a path reachable under ``door``.
    func openDoor(to socket: URL) throws {
        closeDoor()
        try FileManager.default.createSymbolicLink(at: door, withDestinationURL: socket)
    }

    /// Ends that.
    func closeDoor() { try? FileManager.default.removeItem(at: door) }

    /// The path that clients of the server know.
    var door: URL { file("door") }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    func write(_ data: Data, to name: String) throws -> URL {
        try data.write(to: file(name))
        return file(name)
    }
}
