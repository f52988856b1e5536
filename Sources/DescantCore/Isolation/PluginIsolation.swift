public import Foundation

/// Which decoders and tag readers run in helper processes, and what a helper may use.
///
/// A crash, a hang or a memory blow-up in a helper ends that helper only: the call throws a ``CoreError`` that names the plugin, and the
/// next file is opened in a new one. A helper opens no file but the one that it is given, no socket and no program, writes no file and
/// starts no process. Bundles that require isolation in their manifest always run in a helper.
public struct PluginIsolation: Sendable, Hashable {
    /// The plugins that run in helpers besides those that require it.
    public enum Scope: Sendable, Hashable {
        /// Only those whose manifest requires it.
        case asManifest
        /// Bundles with these identifiers.
        case bundles(Set<String>)
        /// All decoders and tag readers of bundles, and those that are built in: no container or codec is parsed in this process.
        /// Sources that are not files cannot be opened then.
        case everything
    }

    /// The plugins that run in helpers.
    public var scope: Scope
    /// The helper program; `nil` looks for `descant-plugin-host` beside this executable, beside the library, and in
    /// `../libexec/descant` of either.
    public var helper: URL?
    /// How much memory a helper may write to, in bytes; 1 GiB by default, at least 64 MiB.
    public var memoryLimit: Int

    /// Creates a choice.
    ///
    /// - Parameters:
    ///   - scope: The plugins that run in helpers.
    ///   - helper: The helper program; `nil` looks for it.
    ///   - memoryLimit: How much memory a helper may write to, in bytes; values below 64 MiB count as 64 MiB.
    public init(_ scope: Scope = .asManifest, helper: URL? = nil, memoryLimit: Int = 1 << 30) {
        self.scope = scope
        self.helper = helper
        self.memoryLimit = memoryLimit
    }

    /// Only plugins whose manifest requires it run in helpers.
    public static let asManifest = PluginIsolation(.asManifest)
    /// Every decoder and tag reader runs in a helper.
    public static let everything = PluginIsolation(.everything)

    /// What `isolation` in a manifest may be.
    static let process = "process"
    /// The kinds that can run in a helper.
    static let kinds: Set<PluginKind> = [.decoder, .tagReader]

    /// Whether a provision of a bundle runs in a helper.
    func contains(_ kind: PluginKind, of manifest: PluginManifest) -> Bool {
        guard Self.kinds.contains(kind) else { return false }
        if manifest.isolation == Self.process { return true }
        return switch scope {
        case .asManifest: false
        case .bundles(let identifiers): identifiers.contains(manifest.id)
        case .everything: true
        }
    }
}
