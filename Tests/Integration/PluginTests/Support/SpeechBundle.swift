import Descant
import DescantTesting
import Foundation

/// A first-party speech bundle, as `make plugins` writes it.
struct SpeechBundle: Sendable {
    let folder: URL
    let registry: PluginRegistry

    init(_ name: String) throws {
        let bundles = try Self.written()
        folder = bundles.appendingPathComponent(name + ".descantplugin")
        registry = PluginRegistry(searchPath: [bundles])
        registry.scan()
    }

    func synthesizer(_ identifier: String) throws -> any SpeechSynthesizer {
        try registry.makeSpeechSynthesizer(identifier)
    }

    /// Copies the bundle, so that its processes differ from those of other tests.
    ///
    /// - Returns: The copy.
    static func copyEspeak(to shelf: BundleShelf) throws -> URL {
        let name = "EspeakSpeech.descantplugin"
        let copy = shelf.folder.appendingPathComponent(name)
        try FileManager.default.copyItem(at: written().appendingPathComponent(name), to: copy)
        return copy
    }

    /// The bundles of this run: those that `make test` names, else written now.
    private static func written() throws -> URL {
        if let folder = ProcessInfo.processInfo.environment["DESCANT_TEST_BUNDLES"] {
            return URL(fileURLWithPath: folder)
        }
        let output = SwiftPackage.root.appendingPathComponent(".build/bundles/debug")
        try Tool.run(
            "bash", [SwiftPackage.root.appendingPathComponent("Scripts/plugins.sh").path, "debug", output.path])
        return output
    }
}
