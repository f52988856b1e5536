public import DescantCore
internal import Foundation

/// Checks the rules that every tag reader must keep; see `TagReaderPort` for the rules in full.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#tag-reader -->
/// ```swift
/// let contract = TagReaderContract(fixtures: [fixture]) { MyTagReader() }
/// #expect(try contract.findings() == [])
/// ```
public struct TagReaderContract: Sendable {
    /// Files of known tags; at least one.
    public var fixtures: [TagFixture]
    private let makeReader: @Sendable () throws -> any TagReaderPort

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - fixtures: Files of known tags.
    ///   - makeReader: Makes a reader.
    public init(fixtures: [TagFixture], makeReader: @escaping @Sendable () throws -> any TagReaderPort) {
        self.fixtures = fixtures
        self.makeReader = makeReader
    }

    /// Runs every check.
    ///
    /// - Returns: The broken rules; empty for a reader that keeps the contract.
    /// - Throws: Only when a check itself cannot run, for example because the disk is full.
    public func findings() throws -> [ContractFinding] {
        var collector = FindingCollector()
        collector.needsFixture(!fixtures.isEmpty)
        for fixture in fixtures { try check(fixture, into: &collector) }
        try checkBadFiles(into: &collector)
        return collector.findings
    }

    private func check(_ fixture: TagFixture, into collector: inout FindingCollector) throws {
        let name = fixture.url.lastPathComponent
        let before = try Data(contentsOf: fixture.url)
        do {
            let reader = try makeReader()
            let tags = try reader.read(url: fixture.url)
            TagComparison(tags, fixture.tags).report(name, into: &collector)
            checkRules(tags, name, into: &collector)
            collector.expectEqual(tags.technical?.fileSize, Int64(before.count), "\(name): the file's length is known")
            let again = try reader.read(url: fixture.url)
            collector.expect(again == tags, "\(name): a second read returns the same tags", seen: "other tags")
        } catch {
            collector.expect(false, "\(name) can be read", seen: "\(error)")
        }
        collector.expect(
            try Data(contentsOf: fixture.url) == before, "\(name): reading does not change the file", seen: "a change")
    }

    private func checkRules(_ tags: TagBundle, _ name: String, into collector: inout FindingCollector) {
        let texts = [tags.title, tags.album, tags.comment] + (tags.artists ?? []) + (tags.genres ?? [])
        for text in texts.compactMap(\.self) {
            collector.expect(
                text == text.trimmingCharacters(in: .whitespacesAndNewlines), "\(name): texts are trimmed",
                seen: "\"\(text)\"")
        }
        for number in [tags.trackNumber, tags.trackTotal, tags.discNumber, tags.discTotal].compactMap(\.self) {
            collector.expect(number >= 1, "\(name): numbers are 1 or more", seen: "\(number)")
        }
        if let year = tags.year {
            collector.expect((1_000...9_999).contains(year), "\(name): years have four digits", seen: "\(year)")
        }
        for picture in tags.pictures ?? [] {
            collector.expect(
                picture.mimeType != nil && picture.data.count <= TagPicture.sizeLimit,
                "\(name): pictures are images of an allowed size", seen: "\(picture.data.count) bytes")
        }
    }

    private func checkBadFiles(into collector: inout FindingCollector) throws {
        let directory = try TemporaryDirectory(label: "descant-tag-contract")
        let suffix = fixtures.first?.url.pathExtension ?? "bin"
        let folder = directory.file("folder.\(suffix)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let unreadable: Set<String> = ["unsupported", "decodeError"]
        let cases: [(String, URL, Set<String>)] = [
            ("a missing file", directory.file("missing.\(suffix)"), ["notFound"]),
            ("a directory", folder, ["ioError", "unsupported"]),
            ("an empty file", try directory.write(Data(), to: "empty.\(suffix)"), unreadable),
            ("a text file", try directory.write(Data("no tags".utf8), to: "text.txt"), unreadable),
        ]
        let reader = try makeReader()
        for (what, url, codes) in cases {
            collector.expectError(codes, "reading \(what) fails with \(codes.sorted().joined(separator: " or "))") {
                _ = try reader.read(url: url)
            }
            do {
                _ = try reader.read(url: url)
            } catch {
                let text = (error as? CoreError)?.message ?? "\(error)"
                collector.expect(
                    text.contains(url.lastPathComponent), "the error for \(what) names the file", seen: text)
            }
        }
    }
}
