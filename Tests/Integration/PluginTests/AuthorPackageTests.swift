import Descant
import Foundation
import Testing

/// Packages of third parties, outside this clone.
@Suite(.serialized) struct AuthorPackageTests {
    private let shelf: BundleShelf

    init() throws { shelf = try BundleShelf() }

    /// Copies an example out of the tree and makes it depend on this clone.
    private func copyExample(_ name: String) throws -> URL {
        let package = shelf.directory.file(name)
        try FileManager.default.copyItem(
            at: SwiftPackage.root.appendingPathComponent("Samples/Examples/\(name)"), to: package)
        let manifest = package.appendingPathComponent("Package.swift")
        let text = try String(contentsOf: manifest, encoding: .utf8)
        let address = #"url: "https://example.org/descant.git", branch: "main""#
        #expect(text.contains(address))
        try text.replacing(address, with: #"name: "descant", path: "\#(SwiftPackage.root.path)""#)
            .write(to: manifest, atomically: true, encoding: .utf8)
        return package
    }

    /// Against the installed modules: `PluginAuthorTests` of the samples.
    @Test func aNewPackageBuildsAgainstACheckoutAndLoads() async throws {
        // In a process of its own, because the tool writes to the current folder.
        let new = #"cd "$1" && exec "$0" plugin new Beep --kind decoder --descant "$2""#
        let tool = try BuiltLibrary.folder.appendingPathComponent("descant").path
        try Tool.run("bash", ["-c", new, tool, shelf.directory.url.path, SwiftPackage.root.path])
        let built = try await SwiftPackage.build(shelf.directory.file("Beep"), product: "Beep")
        try shelf.write(built.appendingPathComponent("libBeep.so"))
        let file = try shelf.directory.write(Data("440\n".utf8), to: "a.beep")
        let stream = try shelf.registry().open(file)
        defer { stream.decoder.close(stream.handle) }
        #expect(stream.identifier == "beep" && stream.plugin == "org.example.beep")
        #expect(stream.info.duration == 2)
    }

    @Test func standaloneAppBuildsAndReportsErrors() async throws {
        let built = try await SwiftPackage.build(copyExample("Player"), product: "Player")
        let missing = shelf.directory.file("missing.flac").path
        let error = #expect(throws: (any Error).self) {
            try Tool.run(built.appendingPathComponent("Player").path, [missing])
        }
        #expect("\(error, default: "")".contains("missing.flac"))
    }
}
