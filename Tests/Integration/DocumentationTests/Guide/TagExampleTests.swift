import Descant
import DescantTesting
import Foundation
import Testing

/// The examples of the guide "Tags", on a real file.
@Suite struct TagExampleTests {
    @Test func tagExamplesReadAndWrite() async throws {
        let folder = try TemporaryDirectory()
        let signal = TestSignal.sine(440, seconds: 0.2, sampleRate: 44_100)
        let file = try FixtureEncoder().make(signal, as: .flac(bits: 16), named: "plain", in: folder)
        try rename(file, to: "Rain", by: ["Ann", "Ben"])
        #expect(try describe(file) == "Rain by Ann, Ben, FLAC")
        #expect(await titles(in: folder.url) == ["Rain"])
        try edit(file, title: "Snow", comment: nil, without: nil)
        #expect(try describe(file) == "Snow by Ann, Ben, FLAC")
    }

    /// Bundles and hosts ask the registry by name.
    @Test func registryProvidesReaderAndWriter() throws {
        let registry = AudioEnvironment.shared.plugins
        let folder = try TemporaryDirectory()
        let file = try folder.write(Data("no tags".utf8), to: "text.txt")
        #expect(throws: CoreError.self) { try registry.makeTagReader("taglib").read(url: file) }
        #expect(throws: CoreError.self) {
            try registry.makeTagWriter("taglib").write(url: file, tags: TagBundle(title: "x"))
        }
    }
}
