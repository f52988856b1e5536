internal import Foundation
internal import Synchronization

/// A bundle on the disk whose manifest was accepted, and whatever became of its library since.
final class PluginBundle: Sendable {
    /// What became of the library.
    enum State: Sendable {
        /// Nothing of it was read.
        case unread
        /// Every check before loading was passed.
        case checked
        /// It was refused before any of its code ran.
        case refused(PluginError)
        /// It runs in this process.
        case loaded(any DescantPlugin)
        /// It was loaded, but no plugin came of it; nothing can be tried again in this process.
        case failed(PluginError)
    }

    /// The folder, without symbolic links.
    let path: String
    /// What `manifest.json` says.
    let manifest: PluginManifest

    private let current = Mutex(State.unread)
    // Held while a library is checked and loaded, so that it happens once; readers of the state do not wait for it.
    private let loading = Mutex(())

    /// Reads and checks a manifest; of the library only its being there.
    ///
    /// - Parameter path: The bundle's folder.
    /// - Throws: ``PluginError``.
    init(path: String) throws {
        self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        manifest = try PluginBundle.readManifest(self.path)
    }

    /// What became of the library.
    var state: State { current.withLock { $0 } }

    /// Where the library lies.
    var libraryPath: String { path + "/" + (manifest.library ?? "") }

    /// The plugin; loads it when that has not happened.
    ///
    /// Waits while another thread does so.
    ///
    /// - Throws: ``PluginError``: why there is no plugin.
    func plugin() throws -> any DescantPlugin {
        if case .loaded(let plugin) = state { return plugin }
        return try loading.withLock { _ in
            try checkUnlocked()
            if case .loaded(let plugin) = state { return plugin }
            do {
                let plugin = try PluginLoader.load(libraryPath, manifest: manifest)
                current.withLock { $0 = .loaded(plugin) }
                return plugin
            } catch let failure as PluginLoader.Failure {
                current.withLock { $0 = failure.ranCode ? .failed(failure.error) : .refused(failure.error) }
                throw failure.error
            }
        }
    }

    /// Performs every check that comes before loading, once.
    ///
    /// - Throws: ``PluginError``.
    func check() throws {
        try loading.withLock { _ in try checkUnlocked() }
    }

    private func checkUnlocked() throws {
        switch state {
        case .checked, .loaded: return
        case .refused(let error), .failed(let error): throw error
        case .unread: break
        }
        do {
            try PluginInspection.check(bundle: path, manifest: manifest)
            current.withLock { $0 = .checked }
        } catch let error as PluginError {
            current.withLock { $0 = .refused(error) }
            throw error
        }
    }
}

/// The manifest.
extension PluginBundle {
    /// The folder name's ending.
    static let suffix = ".descantplugin"

    private static func readManifest(_ path: String) throws -> PluginManifest {
        try TrustedPath.checkFolder((path as NSString).deletingLastPathComponent, isContainer: true)
        try TrustedPath.checkFolder(path, isContainer: false)
        let file = path + "/manifest.json"
        let json: Data
        do {
            try TrustedPath.checkFile(file)
            json = try TrustedPath.read(file, limit: 1 << 20)
        } catch PluginError.badLibrary(_, let reason) {
            throw PluginError.badManifest(path: file, reason: reason)
        }
        try checkCompatibility(json, path: path)
        let manifest = try PluginManifest(json: json, path: file)
        try checkBundleFields(manifest, path: file)
        return manifest
    }

    /// Comes first: a manifest for another ABI may have a form that cannot be read here.
    private static func checkCompatibility(_ json: Data, path: String) throws {
        struct Header: Decodable {
            var abi: Int?
            var swiftVersion: String?
        }
        guard let header = try? JSONDecoder().decode(Header.self, from: json), let abi = header.abi,
            let swiftVersion = header.swiftVersion
        else { return }  // What is wrong with the text is found and told when all of it is read.
        let plugin = PluginCompatibility(abi: abi, swiftVersion: swiftVersion)
        guard plugin == PluginEntry.compatibility else {
            throw PluginError.incompatible(path: path, plugin: "\(plugin)", host: "\(PluginEntry.compatibility)")
        }
    }

    private static func checkBundleFields(_ manifest: PluginManifest, path: String) throws {
        for (key, isMissing) in [
            ("abi", manifest.abi == nil), ("swiftVersion", manifest.swiftVersion == nil),
            ("library", manifest.library == nil), ("sha256", manifest.sha256 == nil),
        ] where isMissing {
            throw PluginError.badManifest(path: path, reason: "'\(key)' is missing")
        }
        for name in [manifest.library ?? ""] + (manifest.files ?? [:]).keys {
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
                throw PluginError.badManifest(path: path, reason: "\"\(name)\" is not a path inside the bundle")
            }
        }
        if let isolation = manifest.isolation {
            throw PluginError.unsupportedRequirement(path: path, requirement: "isolation: \(isolation)")
        }
    }
}
