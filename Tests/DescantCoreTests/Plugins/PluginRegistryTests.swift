import DescantTesting
import Foundation
import Testing

@testable import DescantCore

/// What can be tested where the core is linked into the program; bundles that really load are tested in the package
/// Tests/Integration.
@Suite struct PluginRegistryTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func bundle(_ name: String, in parent: URL, id: String = "org.example.x") throws -> URL {
        let bundle = parent.appendingPathComponent(name + ".descantplugin")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let library = Data("no library".utf8)
        try library.write(to: bundle.appendingPathComponent("libx.so"))
        var manifest = PluginManifest(
            id: id, name: name, version: "1", license: "MIT",
            provides: [
                PluginProvision(kind: .decoder, identifier: name, fileTypes: [PluginFileType(extensions: ["x"])])
            ])
        manifest.abi = PluginEntry.abi
        manifest.swiftVersion = PluginEntry.swiftVersion
        manifest.library = "libx.so"
        manifest.sha256 = SHA256.hexadecimal(library)
        try manifest.json().write(to: bundle.appendingPathComponent("manifest.json"))
        return bundle
    }

    @Test func aHostWithItsOwnCopyOfTheCoreLearnsIt() throws {
        let bundle = try bundle("x", in: folder.url)
        let registry = PluginRegistry(searchPath: [folder.url])
        registry.scan()
        #expect(registry.available.map(\.path) == [bundle.path])
        let error = #expect(throws: PluginError.self) { _ = try registry.makeDecoder("x") }
        guard case .hostLinksCoreStatically(let program) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(program.contains("Tests"))
        #expect(registry.unavailable.first?.error == error)
        #expect(registry.unavailable.first?.identifier == "org.example.x")
    }

    @Test func theFirstFolderWins() throws {
        let (near, far) = (folder.file("near"), folder.file("far"))
        let first = try bundle("b", in: near)
        let second = try bundle("a", in: far)
        _ = try bundle("c", in: far, id: "org.example.c")
        let logger = RecordingLogger()
        let registry = PluginRegistry(searchPath: [folder.file("nowhere"), near, far], logger: logger)
        registry.scan()
        #expect(registry.available.map(\.manifest.name) == ["b", "c"])
        #expect(
            registry.unavailable.map(\.error) == [
                .duplicateIdentifier(identifier: "org.example.x", first: first.path, second: second.path)
            ])
        #expect(logger.messages(.warning).count == 1)
    }

    @Test func aFolderOnThePathTwiceIsReadOnce() throws {
        _ = try bundle("x", in: folder.url)
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
        let registry = PluginRegistry(searchPath: [folder.url, folder.url, link])
        registry.scan()
        #expect(registry.available.count == 1)
        #expect(registry.unavailable.isEmpty)
    }

    @Test func standardSearchPath() {
        let path = PluginRegistry.standardSearchPath(
            environment: [
                "DESCANT_PLUGIN_PATH": "/one::/two", "HOME": "/home/me", "XDG_DATA_DIRS": "/a:/b", "XDG_DATA_HOME": "",
            ], executable: URL(fileURLWithPath: "/opt/app/bin/player"))
        #expect(
            path.map(\.path) == [
                "/one", "/two", "/opt/app/bin", "/opt/app/lib/descant/plugins", "/home/me/.local/share/descant/plugins",
                "/a/descant/plugins", "/b/descant/plugins",
            ])
    }

    @Test func whatTheHostOffers() throws {
        let registry = PluginRegistry(searchPath: [])
        registry.register(.decoder("one", fileTypes: [PluginFileType(extensions: ["x"])]) { _ in MemoryDecoder() })
        registry.register(.decoder("one", fileTypes: []) { _ in throw CoreError.unsupported("the second") })
        registry.register(.decoder("sad", fileTypes: []) { _ in throw CoreError.unsupported("sad") })
        #expect(registry.providers(of: .decoder).map(\.provision.identifier) == ["one", "one", "sad"])
        #expect(registry.providers(of: .engine).isEmpty)
        _ = try registry.makeDecoder("one")
        #expect(throws: CoreError.unsupported("sad")) { _ = try registry.makeDecoder("sad") }
        #expect(throws: PluginError.notProvided(kind: "engine", identifier: "one")) {
            _ = try registry.makeEngine("one")
        }
        #expect(throws: PluginError.notProvided(kind: "speech", identifier: "one")) {
            _ = try registry.makeSpeechSynthesizer("one")
        }
        #expect(throws: PluginError.notProvided(kind: "output", identifier: "one")) {
            _ = try registry.makeOutput("one")
        }
    }

    @Test func ownersAndPermissions() throws {
        let file = try folder.write(Data(), to: "file")
        func check(user: uid_t = geteuid()) throws {
            var status = stat()
            try #require(lstat(file.path, &status) == 0)
            try TrustedPath.checkFile(file.path, status, user: user)
        }
        try check()
        let owner = try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.ownerAccountID] as? Int)
        let stranger = uid_t(owner + 1)
        if owner == 0 {
            // Root may own everything; a file of somebody else may not be there.
            try check(user: stranger)
            #expect(chown(file.path, stranger, 0) == 0)
            #expect(throws: PluginError.self) { try check(user: 0) }
        } else {
            #expect(throws: PluginError.self) { try check(user: stranger) }
        }
        try TrustedPath.checkFolder("/tmp", isContainer: true)
        #expect(throws: PluginError.self) { try TrustedPath.checkFolder("/tmp", isContainer: false) }
        #expect(throws: PluginError.self) { try TrustedPath.checkFolder(file.path, isContainer: false) }
    }
}
