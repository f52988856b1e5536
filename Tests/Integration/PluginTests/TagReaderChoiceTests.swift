import Descant
import DescantTesting
import Foundation
import Testing

/// Which tag reader reads a file.
@Suite struct TagReaderChoiceTests {
    private let shelf: BundleShelf
    private let bundle: URL

    init() throws {
        shelf = try BundleShelf()
        bundle = try shelf.write(BuiltLibrary.fixture("FixtureGood"))
    }

    private func environment(_ scope: PluginIsolation.Scope = .asManifest) -> AudioEnvironment {
        AudioEnvironment(
            plugins: PluginRegistry(
                isolation: PluginIsolation(scope), searchPath: [shelf.folder], logger: shelf.logger))
    }

    /// A FLAC file with a title.
    private func flac(_ name: String) throws -> URL {
        let file = try FixtureEncoder().encode(
            TestSignal.noise(seconds: 0.1).samples(), as: .flac(bits: 16), to: shelf.directory.file("\(name).flac"))
        try environment().makeTagWriter().write(url: file, tags: TagBundle(title: "Rain"))
        return file
    }

    @Test(arguments: [PluginIsolation.Scope.asManifest, .everything])
    func aBundleReadsTheFilesThatItDeclares(_ scope: PluginIsolation.Scope) async throws {
        let environment = environment(scope)
        let service = environment.makeTagReaderService()
        #expect(service.fileExtensions == TagReading.fileExtensions.union(["fixt", "grumpy"]))
        #expect(try service.readMetadata(for: flac("song")).title == "Rain")
        #expect(try !LoadedImages.contain(libraryOf: bundle))
        #expect(try !BundleShelf.ran(bundle))

        let file = try shelf.directory.write(Data("FIXT by Ann".utf8), to: "sound.fixt")
        #expect(try service.readMetadata(for: file).artist == "Ann")
        let engine = try environment.makeEngine(output: .wav(shelf.directory.file("mix.wav"), .f32))
        let events = engine.mixEvents.buffered(.bounded(64)).numbered
        let deck = try await engine.openDeck(.url(file), gain: 1, isClip: false)
        var track = deck.track
        // On a busy machine the tags are read later, and told by an event.
        if track.artist == nil {
            for await event in events {
                guard case .trackInfoChanged(deck.id, let found) = event.event.kind else { continue }
                track = found
                break
            }
        }
        #expect(track.artist == "Ann" && track.title == "sound" && track.duration == 1)
    }

    @Test func tagLibIsAskedAfterABundleThatFails() throws {
        let reader = environment().makeTagReader()
        let file = try shelf.directory.write(Data("FIXT".utf8), to: "other.fixt")
        #expect(throws: CoreError.ioError("\(file.path): the tag database is locked")) { try reader.read(url: file) }
        let named = shelf.directory.file("disguised.fixt")
        try FileManager.default.moveItem(at: flac("song"), to: named)
        #expect(try reader.read(url: named).title == "Rain")
        let missing = shelf.directory.file("nowhere.fixt")
        #expect(throws: CoreError.notFound(missing.path)) { try reader.read(url: missing) }
    }

    @Test func amongEqualsTagLibComesFirst() throws {
        let file = try flac("song")
        for (priority, title) in [(0, "Rain"), (1, "Snow")] {
            let registry = PluginRegistry(searchPath: [])
            let environment = AudioEnvironment(plugins: registry)
            registry.register(.tagReader("other", extensions: ["flac"], priority: priority) { FixedTags() })
            #expect(try environment.makeTagReader().read(url: file).title == title)
        }
    }

    private final class FixedTags: TagReaderPort {
        func read(url: URL) throws -> TagBundle { TagBundle(title: "Snow") }
    }
}
