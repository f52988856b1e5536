import Descant
import DescantTesting
import Foundation

/// A folder of bundles that a test fills and damages for a registry.
final class BundleShelf: Sendable {
    let directory: TemporaryDirectory
    let logger = RecordingLogger()

    init() throws { directory = try TemporaryDirectory(label: "descant-bundles") }

    var folder: URL { directory.url.resolvingSymlinksInPath() }

    /// A registry that searches this folder and has scanned it.
    func registry() -> PluginRegistry {
        let registry = PluginRegistry(searchPath: [folder], logger: logger)
        registry.scan()
        return registry
    }

    /// Writes a bundle as an author does.
    @discardableResult
    func write(_ library: URL, files: [URL] = [], named name: String? = nil) throws -> URL {
        try PluginBundleWriter(folder: folder).write(library: library, files: files, name: name)
    }

    /// Writes a fixture's bundle with a library or manifest that the writer would refuse. The manifest is the
    /// good fixture's with the library's true digest.
    ///
    /// - Parameters:
    ///   - name: The bundle's name.
    ///   - library: The library's bytes.
    ///   - edit: Changes the manifest last.
    @discardableResult
    func forge(
        _ name: String, library: Data, edit: (inout PluginManifest) -> Void = { _ in }
    ) throws -> URL {
        let bundle = folder.appendingPathComponent(name + ".descantplugin")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let file = bundle.appendingPathComponent("lib\(name).so")
        try library.write(to: file)
        var manifest = PluginManifest(
            id: "org.descant.fixture.\(name.lowercased())", name: name, version: "1.0.0", license: "Apache-2.0",
            provides: [.decoder("fixture", extensions: ["fixt"]) { throw CoreError.unsupported("never made") }])
        manifest.abi = PluginEntry.abi
        manifest.swiftVersion = PluginEntry.swiftVersion
        manifest.library = file.lastPathComponent
        manifest.sha256 = try Self.digest(file)
        edit(&manifest)
        try manifest.json().write(to: bundle.appendingPathComponent("manifest.json"))
        return bundle
    }

    /// Changes the library of a bundle and, by default, the digest in its manifest.
    func changeLibrary(of bundle: URL, keepingDigest: Bool = false, _ change: (inout Data) throws -> Void) throws {
        let manifestFile = bundle.appendingPathComponent("manifest.json")
        var manifest = try PluginManifest(json: Data(contentsOf: manifestFile), path: manifestFile.path)
        let library = bundle.appendingPathComponent(manifest.library ?? "")
        var data = try Data(contentsOf: library)
        try change(&data)
        try data.write(to: library)
        guard !keepingDigest else { return }
        manifest.sha256 = try Self.digest(library)
        try manifest.json().write(to: manifestFile)
    }

    /// Changes a bundle's manifest.
    func changeManifest(of bundle: URL, _ change: (inout PluginManifest) -> Void) throws {
        let file = bundle.appendingPathComponent("manifest.json")
        var manifest = try PluginManifest(json: Data(contentsOf: file), path: file.path)
        change(&manifest)
        try manifest.json().write(to: file)
    }

    /// Whether code of a bundle ran: every fixture has a C constructor that leaves a file beside its bundle.
    static func ran(_ bundle: URL) throws -> Bool { FileManager.default.fileExists(atPath: bundle.path + ".ran") }

    /// The digest as an independent tool computes it.
    static func digest(_ file: URL) throws -> String {
        String(decoding: try Tool.run("sha256sum", [file.path]).prefix(64), as: UTF8.self)
    }
}

extension Data {
    /// Overwrites every occurrence of a text with another of the same length.
    mutating func replaceAll(_ text: String, with other: String) {
        precondition(text.utf8.count == other.utf8.count)
        while let range = range(of: Data(text.utf8)) { replaceSubrange(range, with: Data(other.utf8)) }
    }
}
