import Descant
import FixtureNowhere

/// A plugin that needs a function that no library has.
struct IncompletePlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.fixture.incomplete", name: "Incomplete fixture", version: "1.0.0", license: "Apache-2.0",
        provides: [.decoder("incomplete") { throw CoreError.unsupported("never reached") }])

    init() throws {
        guard descant_fixture_defined_nowhere() == 0 else { throw CoreError.unsupported("never reached") }
    }
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: IncompletePlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(IncompletePlugin.self, host) }
