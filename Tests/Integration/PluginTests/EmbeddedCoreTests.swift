import Descant
import DescantTesting
import Foundation
import Testing

/// A common mistake of authors: the plugin is in one package with the core, which SwiftPM then links into it.
@Suite struct EmbeddedCoreTests {
    private let shelf: BundleShelf

    init() throws { shelf = try BundleShelf() }

    private static let source = #"""
        import DescantCore

        struct StowawayPlugin: DescantPlugin {
            static let manifest = PluginManifest(
                id: "org.example.stowaway", name: "Stowaway", version: "1.0.0", license: "MIT",
                provides: [.decoder("fixture") { throw CoreError.unsupported("never made") }])
        }

        @c(descant_plugin_manifest)
        public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: StowawayPlugin.self) }

        @c(descant_plugin_entry)
        public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(StowawayPlugin.self, host) }
        """#

    private func write(_ text: String, to file: URL) throws {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    @Test func libraryWithItsOwnCoreIsRefused() async throws {
        // The scratch folder is kept, so that the core is compiled only once.
        let package = SwiftPackage.scratch.deletingLastPathComponent().appendingPathComponent("embedding")
        let sources = package.appendingPathComponent("Sources")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        for target in ["CDescant", "DescantCore"] {
            let link = sources.appendingPathComponent(target)
            try? FileManager.default.removeItem(at: link)
            let original = SwiftPackage.root.appendingPathComponent("Sources/\(target)")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: original)
        }
        let manifest = """
            // swift-tools-version: 6.1
            import PackageDescription

            let strict: [SwiftSetting] = [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]
            let package = Package(
                name: "Embedding",
                products: [.library(name: "Embedding", type: .dynamic, targets: ["Embedding"])],
                targets: [
                    .target(name: "CDescant"),
                    .target(name: "DescantCore", dependencies: ["CDescant"], swiftSettings: strict),
                    .target(name: "Embedding", dependencies: ["DescantCore"]),
                ]
            )
            """
        try write(manifest, to: package.appendingPathComponent("Package.swift"))
        try? FileManager.default.removeItem(at: sources.appendingPathComponent("Embedding"))
        try write(Self.source, to: sources.appendingPathComponent("Embedding/Stowaway.swift"))
        let scratch = package.appendingPathComponent(".build")
        let built = try await SwiftPackage.build(package, product: "Embedding", scratch: scratch)
        let library = built.appendingPathComponent("libEmbedding.so")

        let bundle = try shelf.forge("Embedding", library: Data(contentsOf: library))
        let registry = shelf.registry()
        let error = #expect(throws: PluginError.self) { _ = try registry.makeDecoder("fixture") }
        guard case .embedsCore(bundle.path + "/libEmbedding.so", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(registry.unavailable.first?.error == error)
        #expect(try !LoadedImages.contain(libraryOf: bundle))
        #expect(throws: PluginError.self) { try shelf.write(library) }
    }

    /// The linker would find a copy beside the library, and the process would have two.
    @Test(arguments: ["libDescant.so", "libswiftCore.so"])
    func listedCoreOrRuntimeBesideTheLibraryIsRefused(_ name: String) throws {
        let loaded = try LoadedImages.paths()
        let original = try #require(loaded.first { $0.hasSuffix("/" + name) })
        let copy = URL(fileURLWithPath: original)
        let bundle = try shelf.write(BuiltLibrary.fixture("FixtureGood"), files: [copy])
        let registry = shelf.registry()
        #expect(registry.available.count == 1, "\(registry.unavailable)")
        let error = try #require(throws: PluginError.self) { _ = try registry.makeDecoder("fixture") }
        switch error {
        case .embedsCore(bundle.path + "/libDescant.so", _): #expect(name == "libDescant.so")
        case .embedsRuntime(bundle.path + "/libswiftCore.so", _): #expect(name == "libswiftCore.so")
        default: Issue.record("\(error)")
        }
        #expect(registry.unavailable.first?.error == error)
        #expect(try !BundleShelf.ran(bundle))
        #expect(try !LoadedImages.contain(libraryOf: bundle))
    }
}
