import Descant
import DescantTesting
import Foundation
import Testing

/// Every reason for refusing a bundle: detected before any of its code runs, and reported with bundle, cause and remedy; the
/// host continues.
@Suite struct RefusalTests {
    private let shelf: BundleShelf
    private let good: URL

    init() throws {
        shelf = try BundleShelf()
        good = try BuiltLibrary.fixture("FixtureGood")
    }

    /// Expects that using a bundle fails with an error, that none of its code ran, and that the host continues.
    private func expectRefusal(
        of bundle: URL, atScan: Bool = false, says words: String..., location: SourceLocation = #_sourceLocation,
        matches: (PluginError) -> Bool
    ) throws {
        let registry = shelf.registry()
        if !atScan {
            #expect(registry.available.count == 1, "\(registry.unavailable)", sourceLocation: location)
            #expect(throws: PluginError.self, sourceLocation: location) { _ = try registry.makeDecoder("fixture") }
        }
        let refused = try #require(registry.unavailable.first, sourceLocation: location)
        #expect(matches(refused.error), "\(refused.error)", sourceLocation: location)
        #expect(refused.path == bundle.path, sourceLocation: location)
        let message = "\(refused.error)"
        for word in words + [bundle.lastPathComponent] {
            #expect(message.contains(word), "\(message)", sourceLocation: location)
        }
        #expect(registry.available.isEmpty, sourceLocation: location)
        #expect(try !BundleShelf.ran(bundle), "its constructor ran", sourceLocation: location)
        #expect(try !LoadedImages.contain(libraryOf: bundle), sourceLocation: location)
        #expect(
            shelf.logger.messages(.warning).contains { $0.contains(bundle.lastPathComponent) }, sourceLocation: location
        )
        try expectHostLives(location)
    }

    /// A good bundle still works in this process.
    private func expectHostLives(_ location: SourceLocation) throws {
        let other = try BundleShelf()
        try other.write(good)
        let decoder = try other.registry().makeDecoder("fixture")
        let file = try other.directory.write(Data("FIXT".utf8), to: "lives.fixt")
        #expect(throws: Never.self, sourceLocation: location) { decoder.close(try decoder.open(url: file)) }
    }

    // MARK: Manifest

    @Test func wrongABIInManifestIsRefused() throws {
        let bundle = try shelf.write(good)
        try shelf.changeManifest(of: bundle) { $0.abi = 99 }
        try expectRefusal(of: bundle, atScan: true, says: "plugin ABI 99", "plugin ABI \(PluginEntry.abi)", "build") {
            if case .incompatible = $0 { true } else { false }
        }
    }

    @Test func wrongSwiftReleaseInManifestIsRefused() throws {
        let bundle = try shelf.write(good)
        try shelf.changeManifest(of: bundle) { $0.swiftVersion = "5.10" }
        try expectRefusal(of: bundle, atScan: true, says: "Swift 5.10", "Swift \(PluginEntry.swiftVersion)") {
            if case .incompatible = $0 { true } else { false }
        }
    }

    @Test(arguments: ["abi", "swiftVersion", "library", "sha256", "id", "license", "provides"])
    func manifestWithoutAKey(_ key: String) throws {
        let bundle = try shelf.write(good)
        let file = bundle.appendingPathComponent("manifest.json")
        var object = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        object[key] = nil
        try JSONSerialization.data(withJSONObject: object).write(to: file)
        try expectRefusal(of: bundle, atScan: true, says: "'\(key)' is missing") {
            if case .badManifest = $0 { true } else { false }
        }
    }

    @Test func noManifest() throws {
        let bundle = try shelf.write(good)
        try FileManager.default.removeItem(at: bundle.appendingPathComponent("manifest.json"))
        try expectRefusal(of: bundle, atScan: true, says: "manifest.json", "No such file") {
            if case .badManifest = $0 { true } else { false }
        }
    }

    @Test func manifestThatIsNotJSONIsRefused() throws {
        let bundle = try shelf.write(good)
        try Data("name = good".utf8).write(to: bundle.appendingPathComponent("manifest.json"))
        try expectRefusal(of: bundle, atScan: true, says: "manifest.json") {
            if case .badManifest = $0 { true } else { false }
        }
    }

    @Test func libraryOutsideTheBundle() throws {
        let bundle = try shelf.write(good)
        try shelf.changeManifest(of: bundle) { $0.library = "../libelsewhere.so" }
        try expectRefusal(of: bundle, atScan: true, says: "../libelsewhere.so") {
            if case .badManifest = $0 { true } else { false }
        }
    }

    @Test func unknownIsolationIsRefused() throws {
        let bundle = try shelf.write(good)
        try shelf.changeManifest(of: bundle) { $0.isolation = "machine" }
        try expectRefusal(of: bundle, atScan: true, says: "isolation: machine") {
            if case .unsupportedRequirement = $0 { true } else { false }
        }
    }

    /// A helper process runs decoders, tag readers and synthesizers only.
    @Test(arguments: [PluginKind.engine, .output, .effect, .tagWriter])
    func isolationOfAnotherKindIsRefused(_ kind: PluginKind) throws {
        let bundle = try shelf.write(good)
        let json = #"{"kind": "\#(kind.rawValue)", "identifier": "other"}"#
        let provision = try JSONDecoder().decode(PluginProvision.self, from: Data(json.utf8))
        try shelf.changeManifest(of: bundle) { manifest in
            manifest.isolation = "process"
            manifest.provides.append(provision)
        }
        try expectRefusal(of: bundle, atScan: true, says: "isolation: process for \(kind.rawValue) other") {
            if case .unsupportedRequirement = $0 { true } else { false }
        }
    }

    @Test func manifestThatDisagreesWithTheLibrary() throws {
        let bundle = try shelf.write(good)
        try shelf.changeManifest(of: bundle) { $0.version = "9.9.9" }
        let registry = shelf.registry()
        #expect(throws: PluginError.self) { _ = try registry.makeDecoder("fixture") }
        let error = try #require(registry.unavailable.first?.error)
        #expect(
            error
                == .manifestMismatch(
                    path: bundle.appendingPathComponent("libFixtureGood.so").path, field: "version", beside: "9.9.9",
                    inside: "1.0.0"))
        #expect("\(error)".contains("descant plugin bundle"))
    }

    // MARK: Owners and permissions

    @Test(arguments: [
        ("", 0o777), ("manifest.json", 0o777), ("libFixtureGood.so", 0o777), ("data", 0o777), ("data/model.bin", 0o666),
    ])
    func worldWritableBundleIsRefused(_ name: String, _ mode: Int) throws {
        let bundle = try shelf.write(good)
        let model = bundle.appendingPathComponent("data/model.bin")
        try FileManager.default.createDirectory(
            at: model.deletingLastPathComponent(), withIntermediateDirectories: false)
        try Data("model".utf8).write(to: model)
        let digest = try BundleShelf.digest(model)
        try shelf.changeManifest(of: bundle) { $0.files = ["data/model.bin": digest] }
        let path = bundle.path + (name.isEmpty ? "" : "/" + name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let isFoundAtScan = ["", "manifest.json"].contains(name)
        let digits = String(mode, radix: 8)
        try expectRefusal(of: bundle, atScan: isFoundAtScan, says: "everybody may write", digits, "chmod") {
            if case .badManifest(path, _) = $0 {
                true
            } else if case .unsafePermissions(path, _) = $0 {
                true
            } else {
                false
            }
        }
    }

    @Test func worldWritableSearchFolderIsRefused() throws {
        let bundle = try shelf.write(good)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: shelf.folder.path)
        let registry = shelf.registry()
        let error = try #require(registry.unavailable.first?.error)
        #expect(error == .unsafePermissions(path: shelf.folder.path, reason: "everybody may write to it (mode 777)"))
        #expect(try !BundleShelf.ran(bundle))
    }

    @Test func worldWritableAncestorIsRefused() throws {
        let open = shelf.directory.file("open")
        let folder = open.appendingPathComponent("closed")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let bundle = try PluginBundleWriter(folder: folder).write(library: good)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open.path)
        let registry = PluginRegistry(searchPath: [folder])
        registry.scan()
        let ancestor = shelf.folder.appendingPathComponent("open").path
        #expect(
            registry.unavailable.map(\.error) == [
                .unsafePermissions(path: ancestor, reason: "everybody may write to it (mode 777)")
            ])
        // In a sticky folder such as /tmp a user cannot replace the files of another user.
        try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: open.path)
        registry.scan()
        #expect(registry.unavailable.isEmpty)
        #expect(try !BundleShelf.ran(bundle))
    }

    @Test(arguments: ["libextra.so", "data/model.bin", ".hidden"])
    func unlistedFileIsRefused(_ name: String) throws {
        let bundle = try shelf.write(good)
        let file = bundle.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("extra".utf8).write(to: file)
        try expectRefusal(of: bundle, says: "does not list it", "descant plugin bundle --file") {
            if case .unlistedFile = $0 { true } else { false }
        }
    }

    @Test func listedFileWithWrongDigestIsRefused() throws {
        let extra = try shelf.directory.write(Data("extra".utf8), to: "model.bin")
        let bundle = try shelf.write(good, files: [extra])
        let registry = shelf.registry()
        #expect(registry.available.count == 1)
        let file = bundle.appendingPathComponent("model.bin")
        try Data("other".utf8).write(to: file)
        #expect(throws: PluginError.self) { _ = try registry.makeDecoder("fixture") }
        guard case .digestMismatch(file.path, _, _) = registry.unavailable.first?.error else {
            Issue.record("\(registry.unavailable)")
            return
        }
        #expect(try !BundleShelf.ran(bundle))
    }

    @Test func bundleWithAListedFileIsLoaded() throws {
        let extra = try shelf.directory.write(Data("extra".utf8), to: "model.bin")
        try shelf.write(good, files: [extra])
        _ = try shelf.registry().makeDecoder("fixture")
    }

    @Test func libraryReplacedAfterTheCheckIsRefused() throws {
        let bundle = try shelf.write(good)
        let registry = shelf.registry()
        registry.verify()
        #expect(registry.available.count == 1)
        try shelf.changeLibrary(of: bundle, keepingDigest: true) { $0[$0.count / 2] ^= 1 }
        #expect(throws: PluginError.self) { _ = try registry.makeDecoder("fixture") }
        guard case .digestMismatch = registry.unavailable.first?.error else {
            Issue.record("\(registry.unavailable)")
            return
        }
        #expect(try !BundleShelf.ran(bundle))
    }

    @Test func libraryBehindALink() throws {
        let bundle = try shelf.write(good)
        let library = bundle.appendingPathComponent("libFixtureGood.so")
        let elsewhere = shelf.directory.file("elsewhere.so")
        try FileManager.default.moveItem(at: library, to: elsewhere)
        try FileManager.default.createSymbolicLink(at: library, withDestinationURL: elsewhere)
        try expectRefusal(of: bundle, says: "not a regular file") {
            if case .unsafePermissions = $0 { true } else { false }
        }
    }

    @Test func folderBehindALink() throws {
        let bundle = try shelf.write(good)
        let elsewhere = shelf.directory.file("elsewhere")
        try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: false)
        let model = elsewhere.appendingPathComponent("model.bin")
        try Data("model".utf8).write(to: model)
        let digest = try BundleShelf.digest(model)
        try shelf.changeManifest(of: bundle) { $0.files = ["data/model.bin": digest] }
        try FileManager.default.createSymbolicLink(
            at: bundle.appendingPathComponent("data"), withDestinationURL: elsewhere)
        try expectRefusal(of: bundle, says: "/data", "symbolic link") {
            if case .unsafePermissions = $0 { true } else { false }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away; the rule itself is tested in DescantCoreTests"))
    func anotherOwner() throws {
        let bundle = try shelf.write(good)
        let library = bundle.appendingPathComponent("libFixtureGood.so")
        #expect(chown(library.path, 12_345, 12_345) == 0)
        try expectRefusal(of: bundle, says: "belongs to user 12345") {
            if case .unsafePermissions = $0 { true } else { false }
        }
    }

    // MARK: Files

    @Test func anotherFileThanTheManifestDescribes() throws {
        let bundle = try shelf.write(good)
        try shelf.changeLibrary(of: bundle, keepingDigest: true) { $0[$0.count / 2] ^= 1 }
        try expectRefusal(of: bundle, says: "SHA-256", "install") {
            if case .digestMismatch = $0 { true } else { false }
        }
    }

    @Test func noLibrary() throws {
        let bundle = try shelf.write(good)
        try FileManager.default.removeItem(at: bundle.appendingPathComponent("libFixtureGood.so"))
        try expectRefusal(of: bundle, says: "libFixtureGood.so", "No such file") {
            if case .badLibrary = $0 { true } else { false }
        }
    }

    @Test func textInsteadOfALibrary() throws {
        let bundle = try shelf.forge("Text", library: Data("just some words".utf8))
        try expectRefusal(of: bundle, says: "not an ELF file") {
            if case .badLibrary = $0 { true } else { false }
        }
    }

    @Test(arguments: [0.0, 0.001, 0.2, 0.5, 0.9, 0.999])
    func truncatedLibrary(_ share: Double) throws {
        let bundle = try shelf.write(good)
        try shelf.changeLibrary(of: bundle) { $0 = $0.prefix(Int(Double($0.count) * share)) }
        try expectRefusal(of: bundle) { if case .badLibrary = $0 { true } else { false } }
    }

    @Test func libraryForAnotherProcessor() throws {
        let bundle = try shelf.write(good)
        try shelf.changeLibrary(of: bundle) { $0[18] = 0xf3 }
        try expectRefusal(of: bundle, says: "another processor") {
            if case .badLibrary = $0 { true } else { false }
        }
    }

    /// Section headers are not loaded; without them, or with false ones, the same is found.
    @Test func libraryWithoutSectionHeaders() throws {
        let library = try Data(contentsOf: BuiltLibrary.fixture("FixtureNoEntry"))
        let bundle = try shelf.forge("NoEntry", library: library)
        try shelf.changeLibrary(of: bundle) { data in
            for offset in [0x28, 0x3c] { data.replaceSubrange(offset..<offset + 2, with: [0, 0]) }
            data.replaceSubrange(0x28..<0x30, with: Data(count: 8))
        }
        try expectRefusal(of: bundle, says: "descant_plugin_manifest") {
            if case .missingEntry = $0 { true } else { false }
        }
    }

    /// Two Swift runtimes in one process end it with a segmentation fault.
    @Test func libraryWithItsOwnRuntimeIsRefused() throws {
        let source = try shelf.directory.write(Data(Self.staticPlugin.utf8), to: "Static.swift")
        let library = shelf.directory.file("libStatic.so")
        let folder = try BuiltLibrary.folder.path
        let map = folder + "/CDescant.build/module.modulemap"
        try Tool.run(
            "swiftc",
            [
                "-static-stdlib", "-emit-library", "-parse-as-library", "-module-name", "Static", "-I",
                folder + "/Modules", "-Xcc", "-fmodule-map-file=" + map,
            ]
                + ["-L", folder, "-lDescant", source.path, "-o", library.path])
        let bundle = try shelf.forge("Static", library: Data(contentsOf: library))
        try expectRefusal(of: bundle, says: "Swift runtime of its own", "without -static-stdlib") {
            if case .embedsRuntime = $0 { true } else { false }
        }
    }

    private static let staticPlugin = """
        import DescantCore

        struct StaticPlugin: DescantPlugin {
            static let manifest = PluginManifest(
                id: "org.example.static", name: "Static", version: "1.0.0", license: "MIT",
                provides: [.decoder("fixture") { throw CoreError.unsupported("never made") }])
        }

        @c(descant_plugin_manifest)
        public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: StaticPlugin.self) }

        @c(descant_plugin_entry)
        public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(StaticPlugin.self, host) }
        """

    @Test func zeroedMiddle() throws {
        let bundle = try shelf.write(good)
        try shelf.changeLibrary(of: bundle, keepingDigest: true) { data in
            let range = data.count / 3..<data.count / 3 * 2
            data.replaceSubrange(range, with: Data(count: range.count))
        }
        try expectRefusal(of: bundle) { if case .digestMismatch = $0 { true } else { false } }
    }

    @Test func noEntryPoint() throws {
        let library = try Data(contentsOf: BuiltLibrary.fixture("FixtureNoEntry"))
        try expectRefusal(of: shelf.forge("NoEntry", library: library), says: "descant_plugin_manifest", "PluginEntry")
        {
            if case .missingEntry = $0 { true } else { false }
        }
    }

    @Test func entryPointForAnotherABI() throws {
        let library = try Data(contentsOf: BuiltLibrary.fixture("FixtureOtherABI"))
        try expectRefusal(
            of: shelf.forge("OtherABI", library: library), says: "plugin ABI 1, Swift 6.4",
            "Swift \(PluginEntry.swiftVersion)"
        ) {
            if case .incompatible = $0 { true } else { false }
        }
    }

    @Test func anotherToolchain() throws {
        let bundle = try shelf.write(good)
        try shelf.changeLibrary(of: bundle) { $0.replaceAll("swiftlang/llvm", with: "swiftlang/LLVM") }
        try expectRefusal(of: bundle, says: "swiftlang/LLVM", "swiftlang/llvm") {
            if case .incompatible = $0 { true } else { false }
        }
    }

    @Test func missingDependency() throws {
        let bundle = try shelf.write(good)
        try shelf.changeLibrary(of: bundle) { $0.replaceAll("libFoundation.so", with: "libVanished0n.so") }
        try expectRefusal(of: bundle, says: "libVanished0n.so", "install the package") {
            if case .missingDependency(_, "libVanished0n.so") = $0 { true } else { false }
        }
    }

    @Test func undefinedSymbol() throws {
        let library = try BuiltLibrary.fixture("FixtureMissingSymbol")
        let bundle = try shelf.forge("MissingSymbol", library: Data(contentsOf: library))
        try expectRefusal(of: bundle, says: "descant_fixture_defined_nowhere", "build the plugin again") {
            if case .undefinedSymbol(_, "descant_fixture_defined_nowhere") = $0 { true } else { false }
        }
    }

    // MARK: After loading

    @Test func duplicateIdentifier() throws {
        let first = try shelf.write(good, named: "a-first")
        let second = try shelf.write(good, named: "b-second")
        let registry = shelf.registry()
        #expect(registry.available.map(\.path) == [first.path])
        #expect(
            registry.unavailable.map(\.error) == [
                .duplicateIdentifier(identifier: "org.descant.fixture.good", first: first.path, second: second.path)
            ])
        _ = try registry.makeDecoder("fixture")
        #expect(try LoadedImages.contain(libraryOf: first))
        #expect(try !LoadedImages.contain(libraryOf: second))
        #expect(try !BundleShelf.ran(second))
    }

    @Test func throwingFactoryIsReported() throws {
        let bundle = try shelf.write(BuiltLibrary.fixture("FixtureThrows"))
        let registry = shelf.registry()
        #expect(registry.available.count == 1)
        #expect(throws: PluginError.self) { _ = try registry.makeDecoder("unlucky") }
        let refused = try #require(registry.unavailable.first)
        #expect(refused.path == bundle.path)
        #expect(refused.identifier == "org.descant.fixture.throws")
        #expect("\(refused.error)".contains("the dongle is not plugged in"))
        // The reason is kept, and the bundle is not used again.
        registry.scan()
        #expect(registry.unavailable == [refused])
        #expect(throws: PluginError.notProvided(kind: "decoder", identifier: "unlucky")) {
            _ = try registry.makeDecoder("unlucky")
        }
        try expectHostLives(#_sourceLocation)
    }
}
