internal import DescantContainers
internal import DescantCore
internal import Foundation
internal import Synchronization

/// The bytes of a chained Ogg file, for the pipelines of several links at the same time.
///
/// A local file is opened once: a file that is replaced meanwhile does not mix with the one that was measured.
struct ChainBytes: Sendable {
    private enum Content {
        case memory(Data)
        case shared(any SharedBytes)
    }

    private let name: String
    private let content: Content

    /// - Throws: `CoreError.ioError` for a file that cannot be opened any more; `CoreError.unsupported` for PCM.
    init(_ source: AudioSource) throws {
        name = source.name
        switch source {
        case .url(let url):
            guard let file = FileBytes(path: url.path) else {
                throw CoreError.ioError("\(source.name) cannot be opened any more")
            }
            content = .shared(file)
        case .data(let data, _): content = .memory(data)
        case .bytes(let bytes): content = .shared(HostedBytes(bytes))
        case .pcm: throw CoreError.unsupported("\(source.name) is PCM, which has no links")
        }
    }

    /// A part of the bytes as a source of its own.
    func part(_ range: Range<Int64>) -> AudioSource {
        switch content {
        case .memory(let data):
            let start = data.startIndex + Int(range.lowerBound)
            return .data(data[start..<start + range.count], name: name)
        case .shared(let bytes): return .bytes(PartOfBytes(bytes, range, name: name))
        }
    }
}

/// Bytes that several parts read at the same time.
private protocol SharedBytes: Sendable {
    /// Reads bytes from an offset on; returns their number, which is 0 at the end.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

extension FileBytes: SharedBytes {
    fileprivate func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let found = bytes(at: offset, count: buffer.count)
        buffer.copyBytes(from: found)
        return found.count
    }
}

/// The bytes of a host, which is called by one thread at a time.
private final class HostedBytes: SharedBytes {
    private let source: any ByteSource
    /// The host's position; `nil` when it is unknown.
    private let position = Mutex<Int64?>(nil)

    init(_ source: any ByteSource) { self.source = source }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let memory = HostMemory(buffer: buffer)
        return try position.withLock { position in
            if position != offset {
                position = nil
                try source.seek(to: offset)
            }
            position = nil
            let count = max(0, try source.read(into: memory.buffer))
            position = offset + Int64(count)
            return count
        }
    }

    private struct HostMemory: @unchecked Sendable {
        // Safe: used by one thread inside one call. It is Sendable only because the closure of a lock demands that.
        let buffer: UnsafeMutableRawBufferPointer
    }
}

/// A part of shared bytes, with a position of its own.
private final class PartOfBytes: ByteSource {
    let name: String
    let isSeekable = true
    private let bytes: any SharedBytes
    private let range: Range<Int64>
    private let position = Atomic<Int64>(0)

    init(_ bytes: any SharedBytes, _ range: Range<Int64>, name: String) {
        self.bytes = bytes
        self.range = range
        self.name = name
    }

    var size: Int64? { Int64(range.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let offset = position.load(ordering: .relaxed)
        let left = Int64(range.count) - offset
        guard left > 0 else { return 0 }
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, Int(left))])
        let count = try bytes.read(at: range.lowerBound + offset, into: part)
        position.store(offset + Int64(count), ordering: .relaxed)
        return count
    }

    func seek(to offset: Int64) { position.store(max(0, offset), ordering: .relaxed) }
}
