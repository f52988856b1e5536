public import Foundation

/// Which decoders, tag readers and synthesizers run in helper processes, and what a helper may use.
///
/// A crash, a hang or a memory blow-up in a helper ends that helper only: the call throws a ``CoreError`` that names the plugin, and the
/// next file or sentence gets a new one. A helper opens no file but the one that it is given, no socket and no program, writes no file
/// and starts no process. Helpers of synthesizers read the files of their bundle and those in ``readable``. Bundles that require isolation
/// in their manifest always run in a helper.
///
/// A bundle that a helper cannot load, and one that two helpers in a row have not loaded within ``CallLimits/load``, is not used again and
/// is in ``PluginRegistry/unavailable``, as one that fails to load in this process is.
public struct PluginIsolation: Sendable, Hashable {
    /// The plugins that run in helpers besides those that require it.
    public enum Scope: Sendable, Hashable {
        /// Only those whose manifest requires it.
        case asManifest
        /// Bundles with these identifiers.
        case bundles(Set<String>)
        /// All decoders, tag readers and synthesizers of bundles, and what is built in of them: no container or codec is parsed in this process.
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
    /// The folders that synthesizers in helpers may read besides their bundle's, with all that lies in them: voices, models, libraries.
    /// Links that lead out of a folder are not followed. ``standardReadable(environment:)`` by default.
    public var readable = PluginIsolation.standardReadable()

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
    /// Every decoder, tag reader and synthesizer runs in a helper.
    public static let everything = PluginIsolation(.everything)

    /// What `isolation` in a manifest may be.
    static let process = "process"
    /// The kinds that can run in a helper.
    static let kinds: Set<PluginKind> = [.decoder, .tagReader, .speech]

    /// Whether a provision of a bundle runs in a helper.
    func contains(_ provision: PluginProvision, of manifest: PluginManifest) -> Bool {
        guard Self.kinds.contains(provision.kind) else { return false }
        if manifest.isolation == Self.process { return true }
        return switch scope {
        case .asManifest: false
        case .bundles(let identifiers): identifiers.contains(manifest.id)
        case .everything: true
        }
    }
}

extension PluginIsolation {
    /// The system's libraries and shared data, `descant` in the user's data folder, and what variables of the process name whose names begin with
    /// `DESCANT_`: folders, and the folders of libraries (`.so`, `.so.1`).
    ///
    /// - Parameter environment: The variables of the process.
    public static func standardReadable(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [URL] {
        let given = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/"
        // As the folders are written below: without a slash at the end, or two of them.
        let home = URL(fileURLWithPath: given).standardizedFileURL.path
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/share"
        var paths = [
            "/lib", "/lib64", "/usr/lib", "/usr/local/lib", "/usr/share", "/usr/local/share", data + "/descant",
        ]
        for (name, value) in environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix("DESCANT_") && value.hasPrefix("/") {
            let url = URL(fileURLWithPath: value).standardizedFileURL
            let isLibrary = url.pathExtension == "so" || url.lastPathComponent.contains(".so.")
            let folder = (isLibrary ? url.deletingLastPathComponent() : url).path
            // A variable that names the whole system or everything of the user is not meant for this.
            if folder != "/", folder != home, !home.hasPrefix(folder + "/") { paths.append(folder) }
        }
        return paths.map { URL(fileURLWithPath: $0, isDirectory: true) }
    }
}
