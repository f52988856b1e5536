internal import Descant
internal import Foundation
internal import Glibc

/// A helper process and the socket to it. The process ends when this object is released.
///
/// Used by one thread at a time. Every wait has a time limit, after which a hanging helper is killed.
final class HelperLink: Sendable {
    /// How long the helper may be silent before it counts as hanging, in seconds. It makes a second of speech in a millisecond.
    private static let patience: Int32 = 20
    private static let maximumMessage = 64 << 20

    let process: pid_t
    private let socket: Int32

    /// Starts a program.
    ///
    /// - Parameter path: The program.
    /// - Throws: `CoreError.ioError`.
    init(path: String) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw CoreError.ioError("espeak: no socket for the helper: \(String(cString: strerror(errno)))")
        }
        defer { close(ends[1]) }
        var child: pid_t = 0
        let result = Self.spawn(path, input: ends[1], &child)
        guard result == 0 else {
            close(ends[0])
            throw CoreError.ioError("espeak: \(path) cannot be started: \(String(cString: strerror(result)))")
        }
        socket = ends[0]
        process = child
    }

    /// Closes the socket, which ends the helper. A helper that does not end is killed.
    deinit {
        close(socket)
        var status: Int32 = 0
        // The process is killed only if it is still a child: a host that reaps all children frees its identifier for others.
        guard waitpid(process, &status, WNOHANG) == 0 else { return }
        kill(process, SIGKILL)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    /// The helper gets the socket as its standard input, and closes all other inherited descriptors.
    private static func spawn(_ path: String, input: Int32, _ child: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        for output in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A separate process group, so that Ctrl-C of the terminal reaches only the host. No signal is blocked or ignored.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        guard let name = strdup(path) else { return ENOMEM }
        defer { free(name) }
        var arguments: [UnsafeMutablePointer<CChar>?] = [name, nil]
        return posix_spawn(&child, path, &actions, &attributes, &arguments, environ)
    }

    /// Sends a message.
    ///
    /// - Throws: `CoreError.ioError` when the helper has died.
    func send(_ kind: Character, _ fields: [UInt8] = []) throws {
        var message: [UInt8] = []
        message.reserveCapacity(fields.count + 5)
        message.append(number: UInt32(fields.count + 1))
        message += Array(String(kind).utf8) + fields
        var sent = 0
        while sent < message.count {
            try wait(for: POLLOUT)
            let count = message.withUnsafeBytes { bytes in
                Glibc.send(
                    socket, bytes.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                throw death("it died")
            }
            sent += count
        }
    }

    /// Waits for the next message.
    ///
    /// - Throws: `CoreError.ioError` when the helper has died, hangs or sends an invalid message.
    func receive() throws -> HelperMessage {
        let length = Int(try read(4)[...].number(at: 0))
        guard (1...Self.maximumMessage).contains(length), let message = HelperMessage(try read(length)) else {
            throw death("it sent a message that makes no sense")
        }
        return message
    }

    private func read(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            try wait(for: POLLIN)
            let got = bytes.withUnsafeMutableBytes { buffer in
                recv(socket, buffer.baseAddress?.advanced(by: filled), count - filled, Int32(MSG_DONTWAIT))
            }
            if got == 0 { throw death("it died") }
            if got < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                throw death("it died")
            }
            filled += got
        }
        return bytes
    }

    private func wait(for event: Int32) throws {
        var question = pollfd(fd: socket, events: Int16(event), revents: 0)
        while true {
            let answer = poll(&question, 1, Self.patience * 1_000)
            if answer > 0 { return }
            if answer < 0, errno == EINTR { continue }
            throw death("it did not answer within \(Self.patience) s")
        }
    }

    private func death(_ what: String) -> CoreError {
        .ioError("espeak: the helper (process \(process)) failed: \(what)")
    }
}
