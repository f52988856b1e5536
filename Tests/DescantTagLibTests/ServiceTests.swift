import DescantCore
import DescantPlayback
import DescantTagLib
import DescantTesting
import Foundation
import Testing

/// The service on the real reader.
@Suite struct ServiceTests {
    @Test func folderOfEveryFormatIsRead() async throws {
        let directory = try TemporaryDirectory()
        let names = TaggedFiles.writable + TaggedFiles.readOnly
        for name in names { _ = try TaggedFiles.copy(name, in: directory) }
        let service = DefaultTagReaderService(tagReaderPort: TagLibReader())
        var found: [String: Track] = [:]
        for await result in service.readMetadata(in: directory.url) {
            found[result.url.lastPathComponent] = try result.outcome.get()
        }
        // WavPack files are selected by their extension.
        #expect(Set(found.keys) == Set(names))
        #expect(found.allSatisfy { $0.value.title == ($0.key == "master.dff" ? "Master title" : "Grün – 緑") })
    }
}
