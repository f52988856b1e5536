public import DescantCore
public import Foundation

/// Checks the rules that every file access must keep; see `FileAccessPort` for the rules in full.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#file-access -->
/// ```swift
/// let contract = FileAccessContract { folder in MyFileAccess(roots: [folder]) }
/// #expect(try contract.findings() == [])
/// ```
public struct FileAccessContract: Sendable {
    private let makeAccess: @Sendable (URL) throws -> any FileAccessPort

    /// Prepares the checks.
    ///
    /// - Parameter makeAccess: Makes a file access that may read the files of a folder, which the suite fills.
    public init(makeAccess: @escaping @Sendable (URL) throws -> any FileAccessPort) { self.makeAccess = makeAccess }

    /// Runs every check.
    ///
    /// - Returns: The broken rules; empty for a file access that keeps the contract.
    /// - Throws: Only when a check itself cannot run, for example because the disk is full.
    public func findings() throws -> [ContractFinding] {
        var collector = FindingCollector()
        let directory = try TemporaryDirectory(label: "descant-file-contract")
        let content = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 256) }
        let file = try directory.write(Data(content), to: "a.bin")
        let empty = try directory.write(Data(), to: "empty.bin")
        let files = try makeAccess(directory.url)
        do {
            try checkReading(files, file, content, into: &collector)
            try checkSeeking(files, file, content, into: &collector)
            try checkIndependence(files, file, content, into: &collector)
            let token = try files.open(url: empty)
            collector.expectEqual(try files.size(token), 0, "an empty file has 0 bytes")
            collector.expectEqual(try read(files, token, 16), [], "an empty file is at its end")
            files.close(token)
            try checkClosedTokens(files, file, into: &collector)
        } catch {
            collector.expect(false, "files of the folder can be read", seen: "\(error)")
        }
        try checkRefusals(files, directory, into: &collector)
        return collector.findings
    }

    private func checkReading(
        _ files: any FileAccessPort, _ file: URL, _ content: [UInt8], into collector: inout FindingCollector
    ) throws {
        let token = try files.open(url: file)
        defer { files.close(token) }
        collector.expectEqual(try files.size(token), Int64(content.count), "the size is the file's length in bytes")
        var bytes: [UInt8] = []
        for count in [1, 7, 4_096] { bytes += try read(files, token, count) }
        while case let more = try read(files, token, 3_000), !more.isEmpty, bytes.count <= content.count {
            bytes += more
        }
        collector.expect(bytes == content, "all bytes are read in order", seen: "\(bytes.count) other bytes")
        collector.expectEqual(try read(files, token, 16), [], "after the end every read returns 0 bytes")
    }

    private func checkSeeking(
        _ files: any FileAccessPort, _ file: URL, _ content: [UInt8], into collector: inout FindingCollector
    ) throws {
        let token = try files.open(url: file)
        defer { files.close(token) }
        let moves: [(Int64, FileSeekOrigin, Int)] = [
            (5_000, .start, 5_000), (-104, .current, 4_900), (-10, .end, content.count - 10), (0, .start, 0),
            (0, .end, content.count),
        ]
        for (offset, origin, position) in moves {
            try files.seek(token, offset: offset, origin: origin)
            collector.expectEqual(
                try read(files, token, 4), Array(content[position...].prefix(4)),
                "after a seek by \(offset) from the \(origin) reading goes on there")
        }
        try files.seek(token, offset: 100, origin: .start)
        let outside: [(Int64, FileSeekOrigin)] = [
            (-1, .start), (Int64(content.count) + 1, .start), (-101, .current), (1, .end), (.max, .current),
            (.min, .end),
        ]
        for (offset, origin) in outside {
            collector.expectError(["invalidArgument"], "a seek by \(offset) from the \(origin) is refused") {
                try files.seek(token, offset: offset, origin: origin)
            }
        }
        collector.expectEqual(
            try read(files, token, 4), Array(content[100..<104]), "a refused seek does not move the position")
    }

    private func checkIndependence(
        _ files: any FileAccessPort, _ file: URL, _ content: [UInt8], into collector: inout FindingCollector
    ) throws {
        let (first, second) = (try files.open(url: file), try files.open(url: file))
        collector.expect(first != second, "every open returns a new token", seen: "the same token twice")
        _ = try read(files, first, 500)
        collector.expectEqual(
            try read(files, second, 4), Array(content.prefix(4)), "two open files have positions of their own")
        files.close(first)
        collector.expectEqual(
            try read(files, second, 4), Array(content[4..<8]), "closing one file leaves the other open")
        files.close(second)
    }

    private func checkClosedTokens(
        _ files: any FileAccessPort, _ file: URL, into collector: inout FindingCollector
    ) throws {
        let closed = try files.open(url: file)
        files.close(closed)
        files.close(closed)
        files.close(FileHandleToken())
        for (what, token) in [("a closed token", closed), ("an unknown token", FileHandleToken())] {
            collector.expectError(["invalidState"], "reading \(what) is refused") { try read(files, token, 1) }
            collector.expectError(["invalidState"], "the size of \(what) is refused") { try files.size(token) }
            collector.expectError(["invalidState"], "a seek in \(what) is refused") {
                try files.seek(token, offset: 0, origin: .start)
            }
        }
    }

    private func checkRefusals(
        _ files: any FileAccessPort, _ directory: TemporaryDirectory, into collector: inout FindingCollector
    ) throws {
        let folder = directory.file("folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let cases: [(String, URL, Set<String>)] = [
            ("a missing file", directory.file("missing.bin"), ["notFound"]),
            ("a directory", folder, ["ioError"]),
            ("a file in a missing folder", directory.file("nowhere/a.bin"), ["notFound", "ioError"]),
        ]
        for (what, url, codes) in cases {
            collector.expectError(codes, "opening \(what) fails with \(codes.sorted().joined(separator: " or "))") {
                files.close(try files.open(url: url))
            }
            do {
                files.close(try files.open(url: url))
            } catch {
                let text = (error as? CoreError)?.message ?? "\(error)"
                collector.expect(text.contains(url.path), "the error for \(what) names the file", seen: text)
            }
        }
    }

    private func read(_ files: any FileAccessPort, _ token: FileHandleToken, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = try bytes.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            return try files.read(token, into: start, count: count)
        }
        return Array(bytes.prefix(max(0, got)))
    }
}
