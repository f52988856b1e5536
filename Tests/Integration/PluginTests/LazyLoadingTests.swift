import Descant
import DescantTesting
import Foundation
import Testing

/// The time at which a library is loaded, from the kernel's list of mapped files.
@Suite struct LazyLoadingTests {
    private let shelf: BundleShelf
    private let bundle: URL

    init() throws {
        shelf = try BundleShelf()
        bundle = try shelf.write(BuiltLibrary.fixture("FixtureGood"))
    }

    private var isLoaded: Bool { get throws { try LoadedImages.contain(libraryOf: bundle) } }

    private func input(_ text: String, _ fileExtension: String, mimeType: String? = nil) -> ProbeInput {
        ProbeInput(header: Data(text.utf8), fileExtension: fileExtension, mimeType: mimeType)
    }

    @Test func bundlesAreLoadedOnFirstUse() throws {
        let registry = shelf.registry()
        registry.verify()
        #expect(registry.available.map(\.isLoaded) == [false])
        let provided = ["fixture", "grumpy", "fixture-tags", "fixture-names"]
        #expect(registry.available.first?.manifest.provides.map(\.identifier) == provided)
        #expect(
            registry.providers(of: .decoder).map(\.plugin) == ["org.descant.fixture.good", "org.descant.fixture.good"])
        #expect(registry.decoders(for: input("fLaC", "flac", mimeType: "audio/flac")).isEmpty)
        #expect(throws: PluginError.self) { _ = try registry.makeEngine("fixture") }
        #expect(try !isLoaded)
        #expect(try !BundleShelf.ran(bundle))

        _ = try registry.makeDecoder("fixture")
        #expect(try isLoaded)
        #expect(try BundleShelf.ran(bundle))
        #expect(registry.available.map(\.isLoaded) == [true])
        #expect(shelf.logger.messages(.info) == ["decoder made in \(bundle.lastPathComponent)"])
    }

    @Test(
        arguments: [("FIXT", "bin", nil), ("", "fixt", nil), ("", "", "audio/x-fixture")] as [(String, String, String?)]
    )
    func matchingFileLoadsItsBundle(_ header: String, _ fileExtension: String, _ mimeType: String?) throws {
        let registry = shelf.registry()
        #expect(registry.decoders(for: input("RIFF", "wav", mimeType: "audio/wav")).isEmpty)
        #expect(try !isLoaded)
        #expect(
            registry.decoders(for: input(header, fileExtension, mimeType: mimeType)).map(\.identifier) == ["fixture"])
        #expect(try isLoaded)
    }

    @Test func concurrentUseLoadsABundleOnce() throws {
        let registry = shelf.registry()
        DispatchQueue.concurrentPerform(iterations: 32) { _ in
            #expect(throws: Never.self) { _ = try registry.makeDecoder("fixture") }
        }
        #expect(shelf.logger.messages(.info).count == 32)
        #expect(registry.unavailable.isEmpty)
    }

    @Test func rescanKeepsLoadedBundlesAndFindsNewOnes() throws {
        let registry = shelf.registry()
        _ = try registry.makeDecoder("fixture")
        try FileManager.default.moveItem(at: bundle, to: shelf.directory.file("put-away"))
        let throwing = try shelf.write(BuiltLibrary.fixture("FixtureThrows"))
        registry.scan()
        #expect(registry.available.map(\.path) == [bundle.path, throwing.path])
        #expect(registry.available.map(\.isLoaded) == [true, false])
        _ = try registry.makeDecoder("fixture")
    }

    @Test func aBundleThatIsAddedWhileTheHostRunsIsFoundWhenItIsNeeded() throws {
        let away = shelf.directory.file("put-away")
        let back = shelf.directory.file("put-away-too")
        try FileManager.default.moveItem(at: bundle, to: away)
        let file = try shelf.directory.write(Data("FIXT".utf8), to: "a.fixt")
        let registry = shelf.registry()
        #expect(throws: PluginError.notProvided(kind: "decoder", identifier: "fixture")) {
            _ = try registry.makeDecoder("fixture")
        }
        #expect(throws: CoreError.self) { _ = try registry.open(file) }
        #expect(registry.decoders(for: input("FIXT", "fixt")).isEmpty)

        try FileManager.default.moveItem(at: away, to: bundle)
        // Only a request looks for it.
        #expect(registry.available.isEmpty)
        #expect(registry.decoders(for: input("FIXT", "fixt")).map(\.identifier) == ["fixture"])
        _ = try registry.makeDecoder("fixture")

        // What is loaded stays, also when its bundle is gone and another one is looked for.
        try FileManager.default.moveItem(at: bundle, to: back)
        #expect(throws: PluginError.self) { _ = try registry.makeSpeechSynthesizer("fixture") }
        #expect(registry.available.map(\.isLoaded) == [true])
        _ = try registry.makeDecoder("fixture")
    }

    @Test func anUnknownIdentifierIsFoundByTheCallThatNeedsIt() throws {
        let away = shelf.directory.file("put-away")
        try FileManager.default.moveItem(at: bundle, to: away)
        let registry = shelf.registry()
        let neverScanned = PluginRegistry(searchPath: [shelf.folder])
        try FileManager.default.moveItem(at: away, to: bundle)
        _ = try registry.makeDecoder("fixture")
        #expect(throws: PluginError.self) { _ = try neverScanned.makeDecoder("fixture") }
    }

    @Test func twoHundredBundlesAreReadWithoutLoadingOne() throws {
        try FileManager.default.removeItem(at: bundle)
        for index in 0..<200 {
            try shelf.forge("Many\(index)", library: Data("no library".utf8)) { manifest in
                manifest.provides = [
                    .decoder("many\(index)", extensions: ["many\(index)"]) { throw CoreError.unsupported("never made") }
                ]
            }
        }
        let registry = shelf.registry()
        #expect(registry.available.count == 200 && registry.unavailable.isEmpty)
        #expect(registry.providers(of: .decoder).count == 200)
        #expect(registry.decoders(for: input("fLaC", "flac")).isEmpty)
        let folder = shelf.folder.path + "/"
        #expect(try !LoadedImages.paths().contains { $0.hasPrefix(folder) })
        // Only the bundle of the file is read further, and refused.
        #expect(registry.decoders(for: input("", "many7")).map(\.identifier) == ["many7"])
        #expect(registry.unavailable.map(\.identifier) == ["org.descant.fixture.many7"])
        #expect(try !LoadedImages.paths().contains { $0.hasPrefix(folder) })
    }

    @Test func repairedBundleIsFoundByTheNextScan() throws {
        let library = bundle.appendingPathComponent("libFixtureGood.so")
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: library.path)
        let registry = shelf.registry()
        registry.verify()
        #expect(registry.unavailable.count == 1)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: library.path)
        registry.scan()
        #expect(registry.unavailable.isEmpty)
        _ = try registry.makeDecoder("fixture")
    }

    @Test func pluginErrorReachesTheCaller() throws {
        let registry = shelf.registry()
        #expect(throws: CoreError.ioError("the tag database is locked")) {
            _ = try registry.makeTagReader("fixture-tags")
        }
        #expect(throws: CoreError.unsupported("grumpy: not today")) { _ = try registry.makeDecoder("grumpy") }
        #expect(registry.unavailable.isEmpty)
    }

    /// The order decides which of two bundles decodes a file.
    @Test func loadedBundleKeepsItsPlace() throws {
        try shelf.write(BuiltLibrary.fixture("FixtureHostile"), named: "A")
        let registry = shelf.registry()
        let paths = registry.available.map(\.path)
        #expect(paths.count == 2 && paths.last == bundle.path)
        _ = try registry.makeDecoder("fixture")
        registry.scan()
        #expect(registry.available.map(\.path) == paths)
    }
}
