import DescantTesting
import Dispatch
import Foundation
import Testing

@testable import DescantCore

/// The registry in a program with the core linked in; loading of real bundles is tested in the package Tests/Integration.
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
            provides: [.decoder(name, extensions: ["x"]) { MemoryDecoder() }])
        manifest.abi = PluginEntry.abi
        manifest.swiftVersion = PluginEntry.swiftVersion
        manifest.library = "libx.so"
        manifest.sha256 = SHA256.hexadecimal(library)
        try manifest.json().write(to: bundle.appendingPathComponent("manifest.json"))
        return bundle
    }

    /// The only decoder of a file is in a bundle that was refused, by its licence or by the ABI it was built for.
    @Test(arguments: ["licence", "ABI"])
    func aFileOfARefusedBundleNamesItWithTheReason(_ reason: String) throws {
        let bundle = try bundle("x", in: folder.url)
        if reason == "ABI" {
            let file = bundle.appendingPathComponent("manifest.json")
            let json = try String(contentsOf: file, encoding: .utf8)
            let old = json.replacing("\"abi\" : \(PluginEntry.abi)", with: "\"abi\" : 1")
            try #require(old != json)
            try Data(old.utf8).write(to: file)
        }
        let licenses = reason == "licence" ? LicensePolicy(forbidden: ["MIT"]) : .any
        let registry = PluginRegistry(searchPath: [folder.url], licenses: licenses)
        registry.scan()
        let refused = try #require(registry.unavailable.first)
        let file = try folder.write(Data("sound".utf8), to: "song.x")
        let error = #expect(throws: CoreError.self) { _ = try registry.open(file) }
        #expect(error?.code == "unsupported")
        #expect(error?.message.contains(bundle.path) == true && error?.message.contains("\(refused.error)") == true)
        let other = try folder.write(Data("text".utf8), to: "song.y")
        let unrelated = #expect(throws: CoreError.self) { _ = try registry.open(other) }
        #expect(unrelated?.message.contains(bundle.path) == false)
    }

    @Test func hostWithItsOwnCoreIsRefused() throws {
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

    @Test func firstFolderHasPrecedence() throws {
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

    @Test func repeatedSearchFolderIsReadOnce() throws {
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

    /// As the XDG base directory specification says; `XDG_DATA_HOME` is one folder.
    @Test func relativeDataFoldersAreIgnored() {
        func dataFolders(_ variables: [String: String]) -> [String] {
            let path = PluginRegistry.standardSearchPath(
                environment: variables.merging(["HOME": "/home/me"]) { $1 },
                executable: URL(fileURLWithPath: "/opt/app/bin/player"))
            return path.dropFirst(2).map(\.path)
        }
        #expect(
            dataFolders(["XDG_DATA_HOME": "data", "XDG_DATA_DIRS": "a:/b:../c:./d"]) == [
                "/home/me/.local/share/descant/plugins", "/b/descant/plugins",
            ])
        #expect(
            dataFolders(["XDG_DATA_HOME": "/data:1", "XDG_DATA_DIRS": "/b"]) == [
                "/data:1/descant/plugins", "/b/descant/plugins",
            ])
    }

    @Test func hostCanRegisterProvisions() throws {
        let registry = PluginRegistry(searchPath: [])
        registry.register(.decoder("one", extensions: ["x"]) { MemoryDecoder() })
        registry.register(.decoder("one") { throw CoreError.unsupported("the second") })
        registry.register(.decoder("sad") { throw CoreError.unsupported("sad") })
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

    // MARK: Opening

    /// A decoder of any file, which hangs or throws when it opens one.
    private final class Opener: DecoderPort, Sendable {
        private let error: CoreError?
        private let gate: DispatchSemaphore?

        init(_ error: CoreError? = nil, gate: DispatchSemaphore? = nil) {
            self.error = error
            self.gate = gate
        }

        func open(url: URL) throws -> DecodeHandle {
            gate?.wait()
            if let error { throw error }
            return DecodeHandle()
        }
        func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int { 0 }
        func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {}
        func info(_ handle: DecodeHandle) throws -> StreamInfo {
            StreamInfo(duration: 1, sampleRate: 8_000, channels: 1, bitDepth: 16)
        }
        func close(_ handle: DecodeHandle) {}
    }

    /// A registry with a first decoder that recognises the content "ABCD", and a second one that accepts any file.
    private func registry(first: Opener, limits: CallLimits = CallLimits()) -> PluginRegistry {
        let registry = PluginRegistry(searchPath: [], limits: limits)
        registry.register(.decoder("first", signatures: [FileSignature("41424344")]) { first })
        registry.register(.decoder("second", extensions: ["*"]) { Opener() })
        return registry
    }

    @Test func hangingOpenIsAbandonedAndNextDecoderIsTried() throws {
        let file = try folder.write(Data("ABCD".utf8), to: "a.abc")
        let gate = DispatchSemaphore(value: 0)
        var limits = CallLimits()
        var opened: OpenedStream?
        // On a busy machine the second decoder may exceed a short limit, too.
        for limit in [0.1, 2, 30] where opened == nil {
            defer { gate.signal() }
            limits.open = limit
            opened = try? registry(first: Opener(gate: gate), limits: limits).open(file)
        }
        #expect(opened?.identifier == "second")
        #expect(opened?.reason.contains("its open did not come back within \(limits.open) s") == true)
    }

    @Test func onlyDecodersThatRecogniseTheContentFollowADecodeError() throws {
        let file = try folder.write(Data("ABCD".utf8), to: "a.abc")
        let damaged = registry(first: Opener(.decodeError("bad block")))
        #expect(throws: CoreError.decodeError("\(file.path): no decoder could open it; first: bad block")) {
            _ = try damaged.open(file)
        }
        let unknown = registry(first: Opener(.unsupported("a new version")))
        #expect(try unknown.open(file).identifier == "second")
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
            // A test that does not run as root may have no file of another user.
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

    /// Some formats are decoded from the start up to the target.
    @Test func seeksFarAwayMayTakeLonger() {
        let limits = CallLimits()
        #expect(limits.seekLimit(to: 0) == limits.seek && limits.seekLimit(to: .nan) == limits.seek)
        #expect(limits.seekLimit(to: 3_000) == limits.seek + 120)
    }
}
