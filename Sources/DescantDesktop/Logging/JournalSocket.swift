internal import Glibc

/// A datagram socket that is not connected: each message names the journal's address, so a restarted journal is found again.
final class JournalSocket: Sendable {
    enum Outcome: Equatable {
        case delivered
        /// Nobody listens there.
        case noJournal
        /// The journal is busy, or the message is too long.
        case refused
    }

    private let descriptor: CInt
    private let address: sockaddr_un

    /// - Returns: `nil` when the path is too long for a socket, or no socket is to be had.
    init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard path.utf8.count < room.count else { return false }
            room.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { return nil }
        self.address = address
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Never waits.
    func send(_ bytes: [UInt8]) -> Outcome {
        let sent = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                sendto(
                    descriptor, bytes, bytes.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL), address,
                    socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if sent == bytes.count { return .delivered }
        return [ENOENT, ECONNREFUSED, ENOTDIR, EACCES].contains(errno) ? .noJournal : .refused
    }
}
