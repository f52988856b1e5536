internal import Glibc
internal import Synchronization

/// The terminal as a place to write to, which keeps what the terminal does not take yet.
final class TerminalOutput: Sendable {
    private let unwritten = Mutex<[UInt8]>([])

    /// Writes a text behind what the terminal has not taken yet.
    func write(_ text: String) {
        unwritten.withLock { bytes in
            bytes += text.utf8
            Self.send(&bytes)
        }
    }

    /// Whether the terminal has taken everything; tries once to write the rest.
    var isReady: Bool {
        unwritten.withLock { bytes in
            if !bytes.isEmpty { Self.send(&bytes) }
            return bytes.isEmpty
        }
    }

    /// Forgets what the terminal has not taken.
    func discard() { unwritten.withLock { $0 = [] } }

    /// The longest wait of a write, so that a picture goes out at the terminal's speed.
    private static let patience = Duration.milliseconds(15)

    /// Writes as many bytes as the terminal takes at once. All of them are lost when it was closed.
    private static func send(_ bytes: inout [UInt8]) {
        let end = ContinuousClock.now + patience
        var sent = 0
        var isOpen = true
        bytes.withUnsafeBytes { bytes in
            while sent < bytes.count, isOpen {
                guard EmergencyRestore.hasLeft == 0 else { return isOpen = false }
                let count = TerminalDescriptor.write(UnsafeRawBufferPointer(rebasing: bytes[sent...]))
                let reason = errno
                if count > 0 {
                    sent += count
                } else if count == 0 || reason == EAGAIN {
                    guard ContinuousClock.now < end, TerminalDescriptor.waitUntilReady(milliseconds: 5) else { return }
                } else {
                    isOpen = reason == EINTR
                }
            }
        }
        bytes = isOpen ? Array(bytes[sent...]) : []
        EmergencyRestore.isCut = bytes.isEmpty ? 0 : 1
    }
}

/// The descriptor of the terminal for writes that do not wait.
///
/// Standard output may be shared with other programs, which need it to wait. The terminal is therefore opened again.
enum TerminalDescriptor {
    // Safe: written once, before the handlers of signals are installed.
    nonisolated(unsafe) private static var own: Int32 = -1

    /// Opens the terminal again.
    static func open() {
        guard own < 0 else { return }
        own = Glibc.open("/proc/self/fd/1", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    }

    /// Writes without waiting; only async-signal-safe calls.
    ///
    /// - Returns: The number of written bytes; -1 with `errno`, which is `EAGAIN` when the terminal takes nothing.
    static func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        if own >= 0 { return Glibc.write(own, bytes.baseAddress, bytes.count) }
        // The terminal of another user, as after `su`, cannot be opened again.
        let flags = fcntl(STDOUT_FILENO, F_GETFL)
        guard flags >= 0, flags & O_NONBLOCK == 0 else {
            return Glibc.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
        }
        _ = fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK)
        let count = Glibc.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
        let reason = errno
        _ = fcntl(STDOUT_FILENO, F_SETFL, flags)
        errno = reason
        return count
    }

    /// Waits until the terminal takes bytes; only async-signal-safe calls.
    ///
    /// - Returns: Whether it does.
    static func waitUntilReady(milliseconds: Int32) -> Bool {
        var watched = pollfd(fd: own >= 0 ? own : STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        return poll(&watched, 1, milliseconds) > 0
    }

    /// Writes, or gives up when the terminal takes nothing for as long as the limit; only async-signal-safe calls.
    ///
    /// - Returns: Whether all was written.
    static func write(_ sequence: StaticString, within milliseconds: Int32) -> Bool {
        write(
            UnsafeRawBufferPointer(start: sequence.utf8Start, count: sequence.utf8CodeUnitCount), within: milliseconds)
    }

    /// Writes bytes in the same way.
    static func write(_ bytes: UnsafeRawBufferPointer, within milliseconds: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = write(rest)
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else {
                guard count < 0, errno == EAGAIN || errno == EINTR else { return false }
                guard waitUntilReady(milliseconds: milliseconds) else { return false }
            }
        }
        return true
    }
}
