public import Foundation
internal import Glibc

/// Reading from pipes of programs that a test has started. Foundation's own reading ends the process when a signal
/// interrupts it, as the death of another child may; these go on.
extension FileHandle {
    /// Waits for bytes and reads what is there, up to 64 KiB.
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

    /// Reads up to the end of the pipe.
    public func allBytes() -> Data {
        var all = Data()
        while case let bytes = nextBytes(), !bytes.isEmpty { all.append(bytes) }
        return all
    }
}
