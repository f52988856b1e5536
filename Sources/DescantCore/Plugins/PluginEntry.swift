internal import Glibc

// The *name* of the entry type carries the plugin ABI and the Swift release. A library built for another pair
// refers to a symbol that this core does not define: the registry sees it in the file, and the linker refuses it.
// Raise the ABI number in every name here whenever the plugin API changes incompatibly (Scripts/check-abi.sh tells).

#if compiler(>=6.6)
#error("This Swift release is not known yet: add a PluginEntry for it.")
#elseif compiler(>=6.5)
/// The functions behind a plugin's two C entry points.
public enum PluginEntry_abi5_swift6_5 {}
/// The functions behind a plugin's two C entry points.
public typealias PluginEntry = PluginEntry_abi5_swift6_5
#elseif compiler(>=6.4)
/// The functions behind a plugin's two C entry points.
public enum PluginEntry_abi5_swift6_4 {}
/// The functions behind a plugin's two C entry points.
public typealias PluginEntry = PluginEntry_abi5_swift6_4
#else
/// The functions behind a plugin's two C entry points.
public enum PluginEntry_abi5_swift6_3 {}
/// The functions behind a plugin's two C entry points.
public typealias PluginEntry = PluginEntry_abi5_swift6_3
#endif

/// The two calls; the whole entry point of a plugin is
///
/// <!-- snippet: Tests/Integration/Fixtures/Plugins/FixtureGood/FixtureGood.swift#entry -->
/// ```swift
/// /// Describes the plugin to the bundle writer and to hosts.
/// @c(descant_plugin_manifest)
/// public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: GoodPlugin.self) }
///
/// /// Creates the plugin for a host.
/// @c(descant_plugin_entry)
/// public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(GoodPlugin.self, host) }
/// ```
extension PluginEntry {
    /// The plugin ABI of this core.
    public static var abi: Int { compatibility.abi }

    /// The Swift release that this core was built with, such as `6.3`.
    public static var swiftVersion: String { compatibility.swiftVersion }

    /// What this core is compatible with, read off the entry type's name.
    static let compatibility = PluginCompatibility(typeName: "\(PluginEntry.self)")

    /// The plugin's manifest as JSON.
    ///
    /// - Parameter plugin: The plugin's type.
    /// - Returns: A C string that is never freed; `nil` when the manifest cannot be written as JSON.
    public static func manifest(of plugin: any DescantPlugin.Type) -> UnsafePointer<CChar>? {
        guard let json = try? plugin.manifest.json() else { return nil }
        return UnsafePointer(strdup(String(decoding: json, as: UTF8.self)))
    }

    /// Creates the plugin and hands it to the host; an error reaches the host as the reason why there is no plugin.
    ///
    /// - Parameters:
    ///   - plugin: The plugin's type.
    ///   - host: What the host passed to `descant_plugin_entry`.
    /// - Returns: 0 when the plugin was created, else 1.
    public static func run(_ plugin: any DescantPlugin.Type, _ host: UnsafeMutableRawPointer) -> Int32 {
        let receiver = Unmanaged<PluginReceiver>.fromOpaque(host).takeUnretainedValue()
        do {
            receiver.result = .success(LoadedPlugin(instance: try plugin.init(), provides: plugin.manifest.provides))
            return 0
        } catch {
            receiver.result = .failure(error)
            return 1
        }
    }
}

/// Receives the result of an entry point; used on one thread during one call.
final class PluginReceiver {
    var result: Result<LoadedPlugin, any Error>?
}

/// A plugin in this process, with the closures that make what it provides.
struct LoadedPlugin: Sendable {
    let instance: any DescantPlugin
    let provides: [PluginProvision]
}

/// The plugin ABI and Swift release that a core or a library was built for.
struct PluginCompatibility: Hashable, CustomStringConvertible {
    var abi: Int
    var swiftVersion: String

    /// "plugin ABI 1, Swift 6.3".
    var description: String { "plugin ABI \(abi), Swift \(swiftVersion)" }

    init(abi: Int, swiftVersion: String) {
        self.abi = abi
        self.swiftVersion = swiftVersion
    }

    /// Reads `PluginEntry_abi5_swift6_3`; 0 and "?" stand for what is not there.
    init(typeName: some StringProtocol) {
        let parts = typeName.split(separator: "_")
        abi = parts.first { $0.hasPrefix("abi") }.flatMap { Int($0.dropFirst(3)) } ?? 0
        let version = parts.drop { !$0.hasPrefix("swift") }
        swiftVersion = version.isEmpty ? "?" : version.joined(separator: ".").replacing("swift", with: "")
    }

    /// Finds the entry type's name in a mangled symbol that refers to it.
    init?(symbol: String) {
        // Nearly all symbols are others; a comparison of their beginning is much quicker than the search.
        guard symbol.hasPrefix("$s11DescantCore"),
            let match = symbol.firstMatch(of: /PluginEntry_abi[0-9]+_swift[0-9]+_[0-9]+/)
        else { return nil }
        self.init(typeName: match.output)
    }
}
