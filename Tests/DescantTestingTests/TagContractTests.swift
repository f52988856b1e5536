import DescantCore
import DescantTesting
import Foundation
import Testing

/// The contracts of tag readers and writers, checked on ``JSONTagFiles`` and on types that break rules.
@Suite struct TagContractTests {
    private let directory: TemporaryDirectory
    private let file: URL
    private let tags: TagBundle

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.file("a.tags")
        var tags = TagBundle(title: "T", artist: "A", album: "B", year: 2_000, trackNumber: 1)
        tags.pictures = [TagPicture(data: Data([0xFF, 0xD8, 0xFF, 0]))]
        tags.artworkData = tags.pictures?.first?.data
        self.tags = tags
        try JSONTagFiles().make(file, tags: tags)
    }

    @Test func jsonTagFilesKeepTheContracts() throws {
        #expect(
            try TagReaderContract(fixtures: [TagFixture(url: file, tags: tags)]) { JSONTagFiles() }.findings() == [])
        let contract = TagWriterContract(
            files: [file], makeReader: { JSONTagFiles() }, makeWriter: { JSONTagFiles() })
        #expect(try contract.findings() == [])
    }

    /// A reader and writer that loses fields and accepts invalid values.
    private final class Careless: TagReaderPort, TagWriterPort {
        func read(url: URL) throws -> TagBundle {
            var tags = try JSONTagFiles().read(url: url)
            tags.album = nil
            tags.title = tags.title.map { "\($0) " }
            return tags
        }

        func write(url: URL, tags: TagBundle) throws {
            var kept = TagBundle(title: tags.title ?? "lost")
            kept.year = tags.year
            try JSONTagFiles().make(url, tags: kept)
        }
    }

    @Test func brokenReadersAndWritersAreFound() throws {
        let read = try TagReaderContract(fixtures: [TagFixture(url: file, tags: tags)]) { Careless() }.findings()
        #expect(read.contains { $0.rule.contains("album") } && read.contains { $0.rule.contains("trimmed") })
        let contract = TagWriterContract(
            files: [file], makeReader: { JSONTagFiles() }, makeWriter: { Careless() })
        let written = try contract.findings().map(\.rule)
        for rule in ["does not change the file", "this field only", "the year 33", "read-only", "missing file"] {
            #expect(written.contains { $0.contains(rule) }, "\(rule)")
        }
    }
}
