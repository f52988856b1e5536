import Descant

/// A plugin that cannot work here.
struct ThrowingPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.fixture.throws", name: "Throwing fixture", version: "1.0.0", license: "Apache-2.0",
        provides: [.decoder("unlucky", extensions: ["fixt"]) { throw CoreError.unsupported("never reached") }])

    init() throws { throw CoreError.ioError("the dongle is not plugged in") }
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: ThrowingPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(ThrowingPlugin.self, host) }
