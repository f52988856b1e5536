import Descant
import Foundation

/// The bundle of the engine, written from the library beside the tests as an author does.
enum Bundles {
    /// The folder of the built programs.
    static var products: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// A folder with the bundle in it, written once: its digest takes seconds in a debug build.
    static func folder() throws -> URL { try written.get() }

    private static let written = Result {
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("descant-engine-\(UUID().uuidString)")
        _ = try PluginBundleWriter(folder: folder)
            .write(library: products.appendingPathComponent("libMusicAssistantEngine.so"))
        return folder
    }

    /// Adds the plugin's variables to the environment, once: a new variable moves the list that tests of the other suite read meanwhile,
    /// a new value does not.
    static let variables: Void = {
        for name in ["SERVER", "TOKEN", "PLAYER", "WAIT"] { setenv("DESCANT_MA_\(name)", "", 1) }
    }()

    /// A registry that knows the bundle; it is loaded with `dlopen` when the engine is made.
    static func registry() throws -> PluginRegistry {
        let registry = PluginRegistry(searchPath: [try folder()])
        registry.scan()
        return registry
    }
}
