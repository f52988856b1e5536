public import Foundation
internal import Glibc

/// Reading from the pipes of programs that a test has started. Foundation's methods end the process when a signal
/// interrupts them, such as the end of another child; these methods try again.
extension FileHandle {
    /// Waits for bytes and returns those available, at most 64 KiB.
    ///
    /// - Returns: The bytes; none at the end of the pipe, or when reading failed.
    public func nextBytes() -> Data {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(fileDescriptor, &buffer, buffer.count)
            if count >= 0 { return Data(buffer[0..<count]) }
            guard errno == EINTR else { return Data() }
        }
    }

    /// Reads up to the end of the pipe, on a thread of its own: a program that runs for seconds would keep one of the few threads that all
    /// tests share.
    public func allBytes() async -> Data {
        await withCheckedContinuation { continuation in
            Thread {
                var all = Data()
                while case let bytes = self.nextBytes(), !bytes.isEmpty { all.append(bytes) }
                continuation.resume(returning: all)
            }.start()
        }
    }
}
