import DescantCore
import DescantTesting
import Foundation
import Testing

/// The contract of file accesses, checked on ``LocalFileAccess`` and on one that breaks rules.
@Suite struct FileAccessContractTests {
    @Test func localFilesKeepIt() throws {
        #expect(try FileAccessContract { _ in LocalFileAccess() }.findings() == [])
        #expect(try FileAccessContract { LocalFileAccess(roots: [$0]) }.findings() == [])
    }

    /// Shares one position among all files, moves before it refuses, and reads closed files.
    private final class Careless: FileAccessPort {
        private var data = Data()
        private var position = 0

        func open(url: URL) throws -> FileHandleToken {
            data = try Data(contentsOf: url)
            position = 0
            return FileHandleToken()
        }
        func read(_ token: FileHandleToken, into buffer: UnsafeMutableRawPointer, count: Int) throws -> Int {
            let part = data.dropFirst(position).prefix(count)
            part.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress { buffer.copyMemory(from: start, byteCount: bytes.count) }
            }
            position += part.count
            return part.count
        }
        func seek(_ token: FileHandleToken, offset: Int64, origin: FileSeekOrigin) throws {
            let start = origin == .start ? 0 : origin == .end ? data.count : position
            position = min(max(0, start + Int(clamping: max(-20_000, min(20_000, offset)))), data.count)
        }
        func size(_ token: FileHandleToken) throws -> Int64 { Int64(data.count) }
        func close(_ token: FileHandleToken) {}
    }

    @Test func brokenAccessesAreFound() throws {
        let rules = try FileAccessContract { _ in Careless() }.findings().map(\.rule)
        for rule in [
            "positions of their own", "reading a closed token", "the size of an unknown token",
            "by 1 from the end is refused",
            "a missing file fails with notFound", "does not move the position",
        ] {
            #expect(rules.contains { $0.contains(rule) }, "\(rule)")
        }
    }
}
