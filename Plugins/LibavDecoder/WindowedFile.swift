internal import Descant
internal import Foundation
internal import Glibc

/// The bytes of a file, read through a window.
///
/// A memory map would end the process when the file is cut while it is played.
final class WindowedFile {
    /// The path, for errors.
    let path: String
    /// The length in bytes when it was opened.
    let size: Int64

    private let descriptor: Int32
    private var window: UnsafeMutableBufferPointer<UInt8>
    private var start: Int64 = 0
    private var count = 0

    /// Large enough for few reads, small enough for cheap probes during a seek.
    private static let usualWindow = 1 << 16
    /// The size of the largest part that can be viewed.
    static let maximumView = 1 << 24

    /// Opens a file for reading.
    ///
    /// - Throws: `CoreError` naming the file.
    init(_ url: URL) throws {
        path = url.path
        descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CoreError.opening(path, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw CoreError.opening(path, code)
        }
        size = Int64(status.st_size)
        window = .allocate(capacity: Self.usualWindow)
    }

    deinit {
        window.deallocate()
        close(descriptor)
    }

    /// A part of the file; fewer bytes at its end, none outside of it. Valid until the next call.
    ///
    /// - Throws: `CoreError` for a read that failed.
    func view(at offset: Int64, count wanted: Int) throws -> UnsafeBufferPointer<UInt8> {
        guard offset >= 0, offset < size, wanted > 0 else { return UnsafeBufferPointer(start: nil, count: 0) }
        let wanted = Int(min(Int64(min(wanted, Self.maximumView)), size - offset))
        if offset < start || offset + Int64(wanted) > start + Int64(count) { try fill(at: offset, wanted) }
        let first = Int(offset - start)
        return UnsafeBufferPointer(rebasing: window[first..<min(first + wanted, count)])
    }

    /// A copy of a part of the file; fewer bytes at its end.
    func bytes(at offset: Int64, count: Int) throws -> [UInt8] { Array(try view(at: offset, count: count)) }

    private func fill(at offset: Int64, _ wanted: Int) throws {
        if wanted > window.count {
            window.deallocate()
            window = .allocate(capacity: wanted)
        }
        (start, count) = (offset, 0)
        while count < wanted {
            let place = Int(offset) + count
            let got = pread(descriptor, window.baseAddress.map { $0 + count }, window.count - count, place)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw CoreError.opening(path, errno) }
            // The file has become shorter.
            guard got > 0 else { return }
            count += got
        }
    }
}

/// Bytes in memory.
protocol ByteSequence: RandomAccessCollection where Element == UInt8, Index == Int {}
extension [UInt8]: ByteSequence {}
extension ArraySlice<UInt8>: ByteSequence {}
extension UnsafeBufferPointer<UInt8>: ByteSequence {}

/// Numbers inside bytes; `nil` where they do not hold all of a number.
extension ByteSequence {
    /// An unsigned number of up to 7 bytes, or the bits of one of 8, the most significant byte first.
    func big(_ offset: Int, _ size: Int) -> Int? {
        guard offset >= 0, offset <= count - size else { return nil }
        let first = startIndex + offset
        return self[first..<first + size].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The same with the least significant byte first.
    func little(_ offset: Int, _ size: Int) -> Int? {
        guard offset >= 0, offset <= count - size else { return nil }
        let first = startIndex + offset
        return self[first..<first + size].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Whether a text of ASCII stands at an offset.
    func has(_ text: StaticString, at offset: Int) -> Bool {
        guard offset >= 0, offset <= count - text.utf8CodeUnitCount else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { self[startIndex + offset + $0] == text.utf8Start[$0] }
    }
}
