public import Descant
internal import Foundation

/// The output of `plugins`.
public struct PluginReport: Sendable, Codable {
    /// A bundle that can be used.
    public struct Available: Sendable, Codable {
        /// The bundle's identifier.
        public var identifier: String
        /// A name for people.
        public var name: String
        /// The bundle's version.
        public var version: String
        /// The licence of everything in it, as an SPDX expression.
        public var license: String
        /// What it provides: `decoder flac`, `engine tone`.
        public var provides: [String]
        /// What it provides, with the file types, languages and URL schemes.
        public var provisions: [PluginProvision]
        /// The stage of each kind that it provides, by the kind: `draft` or `stable`.
        public var stages: [String: PluginStage]
        /// The SHA-256 of its library.
        public var digest: String?
        /// Where it is.
        public var path: String
        /// `loaded`, or `available` when its code is not in this process yet.
        public var state: String
        /// Whether its code is in this process.
        public var isLoaded: Bool
    }

    /// A bundle that cannot be used.
    public struct Unavailable: Sendable, Codable {
        /// Where it is.
        public var path: String
        /// Its identifier, when its manifest could be read.
        public var identifier: String?
        /// `refused`.
        public var state: String
        /// Why it cannot be used, and the remedy.
        public var reason: String
    }

    /// The folders that were searched, the first ones first.
    public var searchPath: [String]
    /// The licences that are refused, as `DESCANT_FORBIDDEN_LICENSES` says.
    public var forbiddenLicenses: [String]
    /// Bundles that can be used.
    public var available: [Available]
    /// Bundles that cannot be used.
    public var unavailable: [Unavailable]

    /// What makes bundles available that are not found, also for a person without the sources.
    static let remedy =
        "export DESCANT_PLUGIN_PATH=FOLDER    # with the bundles; they are installed in PREFIX/lib/descant/plugins"

    /// Reads a registry.
    ///
    /// - Parameter registry: A registry that was scanned.
    public init(_ registry: PluginRegistry) {
        searchPath = registry.searchPath.map(\.path)
        forbiddenLicenses = registry.licenses.forbidden
        available = registry.available.map { plugin in
            Available(
                identifier: plugin.manifest.id, name: plugin.manifest.name, version: plugin.manifest.version,
                license: plugin.manifest.license,
                provides: plugin.manifest.provides.map { "\($0.kind.rawValue) \($0.identifier)" },
                provisions: plugin.manifest.provides,
                stages: Dictionary(plugin.manifest.provides.map { ($0.kind.rawValue, $0.kind.stage) }) { first, _ in
                    first
                },
                digest: plugin.manifest.sha256, path: plugin.path,
                state: plugin.isLoaded ? "loaded" : "available",
                isLoaded: plugin.isLoaded)
        }
        unavailable = registry.unavailable.map { plugin in
            Unavailable(path: plugin.path, identifier: plugin.identifier, state: "refused", reason: "\(plugin.error)")
        }
    }
}
