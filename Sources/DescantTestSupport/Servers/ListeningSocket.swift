internal import Foundation
internal import Glibc
internal import Synchronization

/// A TCP socket that listens on a port of the loopback interface, which the system chooses.
///
/// Its thread closes it. Were it closed before, the thread could accept a connection of another socket that has got its number since.
public final class ListeningSocket: Sendable {
    /// The port.
    public let port: Int
    private let descriptor: Int32
    private let isOpen = Mutex(true)

    /// Creates a socket that listens.
    ///
    /// - Throws: `TestSupportError.failed` when no port is free.
    public init() throws {
        let bound = try Self.bind()
        descriptor = bound.descriptor
        port = Int(bound.port)
        guard listen(descriptor, 32) == 0 else {
            defer { close(descriptor) }
            throw Self.noPort()
        }
    }

    /// Binds a new socket to a free port of the loopback interface; it does not listen. The caller closes it.
    ///
    /// - Throws: `TestSupportError.failed` when no port is free.
    static func bind() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                Glibc.bind(descriptor, generic, length) == 0 && getsockname(descriptor, generic, &length) == 0
            }
        }
        guard isBound else {
            defer { close(descriptor) }
            throw noPort()
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private static func noPort() -> TestSupportError {
        .failed("no port for a server: \(String(cString: strerror(errno)))")
    }

    /// Accepts connections on a thread until the socket is shut down.
    ///
    /// - Parameter take: Takes a connection, and closes it in the end.
    public func accept(_ take: @escaping @Sendable (Int32) -> Void) {
        Thread.detachNewThread { [self] in
            while case let connection = Glibc.accept(descriptor, nil, nil), connection >= 0 { take(connection) }
            isOpen.withLock { isOpen in
                isOpen = false
                close(descriptor)
            }
        }
    }

    /// Accepts nothing more.
    public func shutDown() { isOpen.withLock { if $0 { shutdown(descriptor, Int32(SHUT_RDWR)) } } }
}
