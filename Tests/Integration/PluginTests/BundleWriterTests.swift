import Descant
import DescantTesting
import Foundation
import Testing

/// Bundles as authors write them.
@Suite struct BundleWriterTests {
    private let shelf: BundleShelf

    init() throws { shelf = try BundleShelf() }

    @Test func manifestIsComplete() throws {
        let bundle = try shelf.write(BuiltLibrary.fixture("FixtureGood"))
        #expect(bundle.lastPathComponent == "FixtureGood.descantplugin")
        let file = bundle.appendingPathComponent("manifest.json")
        let manifest = try PluginManifest(json: Data(contentsOf: file), path: file.path)
        #expect(manifest.id == "org.descant.fixture.good")
        #expect(manifest.abi == PluginEntry.abi)
        #expect(manifest.swiftVersion == PluginEntry.swiftVersion)
        #expect(manifest.library == "libFixtureGood.so")
        #expect(manifest.sha256 == (try BundleShelf.digest(bundle.appendingPathComponent("libFixtureGood.so"))))
        #expect(manifest.provides.first?.fileTypes.first?.signatures == [FileSignature("46495854")])
        #expect(shelf.registry().available.map(\.manifest) == [manifest])
    }

    @Test func bundleIsReplacedAtomically() throws {
        let bundle = try shelf.write(BuiltLibrary.fixture("FixtureGood"))
        try Data().write(to: bundle.appendingPathComponent("leftover"))
        try shelf.write(BuiltLibrary.fixture("FixtureGood"))
        let names = try FileManager.default.contentsOfDirectory(atPath: bundle.path).sorted()
        #expect(names == ["libFixtureGood.so", "manifest.json"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: shelf.folder.path) == [bundle.lastPathComponent])
    }

    @Test func filesBesideTheLibraryAreDigested() throws {
        let data = try shelf.directory.write(Data("a table".utf8), to: "table.bin")
        let bundle = try shelf.write(BuiltLibrary.fixture("FixtureGood"), files: [data], named: "WithTable")
        shelf.registry().verify()
        #expect(shelf.registry().unavailable.isEmpty)
        try Data("b table".utf8).write(to: bundle.appendingPathComponent("table.bin"))
        let registry = shelf.registry()
        registry.verify()
        guard case .digestMismatch(let path, _, _)? = registry.unavailable.first?.error else {
            Issue.record("\(registry.unavailable)")
            return
        }
        #expect(path == bundle.path + "/table.bin")
    }

    /// A host would refuse the bundle.
    @Test func fileWithAControlCharacterInItsNameIsRefused() throws {
        let data = try shelf.directory.write(Data("a table".utf8), to: "table\u{1b}.bin")
        let library = try BuiltLibrary.fixture("FixtureGood")
        let writer = PluginBundleWriter(folder: shelf.folder.appendingPathComponent("bundles"))
        let error = try #require(throws: PluginError.self) { try writer.write(library: library, files: [data]) }
        #expect(error.cause.contains("'files' has a control character"), "\(error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: writer.folder.path).isEmpty)
    }

    /// It would be copied with all that is in it.
    @Test func aFolderBesideTheLibraryIsRefusedByItsName() throws {
        let folder = shelf.directory.file("tables")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let library = try BuiltLibrary.fixture("FixtureGood")
        let writer = PluginBundleWriter(folder: shelf.folder.appendingPathComponent("bundles"))
        let error = try #require(throws: CoreError.self) { try writer.write(library: library, files: [folder]) }
        #expect(error.message == "\(folder.path) is a directory; give a file inside it")
        #expect(try FileManager.default.contentsOfDirectory(atPath: writer.folder.path).isEmpty)
    }

    @Test(arguments: ["FixtureNoEntry", "FixtureOtherABI", "FixtureMissingSymbol"])
    func invalidBundlesAreNotWritten(_ name: String) throws {
        let library = try BuiltLibrary.fixture(name)
        #expect(throws: PluginError.self) { try shelf.write(library) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: shelf.folder.path).isEmpty)
    }

    @Test func unwritableFolderIsAnError() throws {
        let library = try BuiltLibrary.fixture("FixtureGood")
        let file = try shelf.directory.write(Data(), to: "file")
        let error = #expect(throws: CoreError.self) {
            try PluginBundleWriter(folder: file.appendingPathComponent("folder")).write(library: library)
        }
        #expect(error?.code == "ioError")
        #expect(error?.message.contains("FixtureGood.descantplugin") == true)
    }

    private static let vendor = "public func vendorVersion() -> String { \"7.0.0\" }"
    private static let needy = """
        import DescantCore
        import Vendor

        struct NeedyPlugin: DescantPlugin {
            static let manifest = PluginManifest(
                id: "org.example.needy", name: "Needy", version: vendorVersion(), license: "MIT",
                provides: [.decoder("needy") { throw CoreError.unsupported("never made") }])
        }

        @c(descant_plugin_manifest)
        public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: NeedyPlugin.self) }

        @c(descant_plugin_entry)
        public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(NeedyPlugin.self, host) }
        """

    private func folder(_ name: String) throws -> URL {
        let folder = shelf.directory.file(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        return folder
    }

    /// A library of a vendor lies where it was installed. The plugin finds it in the bundle only.
    @Test func aLibraryThatThePluginNeedsIsBundledFromAnotherFolder() throws {
        let (vendor, own) = (try folder("vendor"), try folder("own"))
        let library = vendor.appendingPathComponent("libVendor.so")
        let source = try shelf.directory.write(Data(Self.vendor.utf8), to: "Vendor.swift")
        try Tool.run(
            "swiftc",
            [
                "-emit-library", "-emit-module", "-parse-as-library", "-module-name", "Vendor", source.path,
                "-emit-module-path", vendor.path + "/Vendor.swiftmodule", "-o", library.path,
            ])
        let plugin = own.appendingPathComponent("libNeedy.so")
        let text = try shelf.directory.write(Data(Self.needy.utf8), to: "Needy.swift")
        let products = try BuiltLibrary.folder.path
        try Tool.run(
            "swiftc",
            [
                "-emit-library", "-parse-as-library", "-module-name", "Needy", "-I", products + "/Modules", "-I",
                vendor.path, "-Xcc", "-fmodule-map-file=" + products + "/CDescant.build/module.modulemap",
            ]
                + ["-L", products, "-lDescant", "-L", vendor.path, "-lVendor", "-Xlinker", "-rpath=$ORIGIN"]
                + [text.path, "-o", plugin.path])
        let error = try #require(throws: PluginError.self) { try shelf.write(plugin) }
        #expect(error == .missingDependency(path: plugin.path, library: "libVendor.so"))

        let bundle = try shelf.write(plugin, files: [library])
        let names = try FileManager.default.contentsOfDirectory(atPath: bundle.path).sorted()
        #expect(names == ["libNeedy.so", "libVendor.so", "manifest.json"])
        let registry = shelf.registry()
        registry.verify()
        #expect(registry.available.map(\.manifest.version) == ["7.0.0"], "\(registry.unavailable)")
    }

    /// The second one would replace the first, and every host would refuse a bundle without its library or its manifest.
    @Test(arguments: ["table.bin", "manifest.json", "libFixtureGood.so", PluginTrust.signatureFile])
    func filesOfOneNameAreNamed(_ name: String) throws {
        let one = try shelf.directory.write(Data("one".utf8), to: "table.bin")
        let folder = shelf.directory.url.appendingPathComponent("other")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let other = folder.appendingPathComponent(name)
        try Data("other".utf8).write(to: other)
        let error = #expect(throws: CoreError.self) {
            try shelf.write(BuiltLibrary.fixture("FixtureGood"), files: [one, other])
        }
        #expect(error?.message.contains(other.path) == true)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: shelf.folder.path).allSatisfy {
                $0 == "other" || $0 == "table.bin"
            })
    }
}
