internal import Dispatch
internal import Foundation
internal import Synchronization

/// A bundle on disk with an accepted manifest, and the state of its library.
final class PluginBundle: Sendable {
    /// The state of the library.
    enum State: Sendable {
        /// It was not read yet.
        case unread
        /// It passed the checks before loading.
        case checked
        /// It was refused before any of its code ran.
        case refused(PluginError)
        /// It runs in this process.
        case loaded(LoadedPlugin)
        /// It was loaded without a usable plugin, here or in a helper process, or exceeded a limit; it is not loaded again by this process.
        case failed(PluginError)
    }

    /// The folder, without symbolic links.
    let path: String
    /// What `manifest.json` says.
    let manifest: PluginManifest
    /// The SHA-256 of `manifest.json`.
    let manifestDigest: String

    private let current = Mutex(State.unread)
    /// How many helpers in a row have not loaded the library in time.
    private let overdueHelpers = Mutex(0)
    // Set while the library is checked and loaded, so that it happens once.
    private let loading = Mutex<PluginLoading?>(nil)

    /// Reads and checks a manifest.
    ///
    /// - Parameters:
    ///   - path: The bundle's folder.
    ///   - trust: Who must have signed the manifest.
    /// - Throws: ``PluginError``.
    init(path: String, trust: PluginTrust) throws {
        self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        (manifest, manifestDigest) = try PluginBundle.readManifest(self.path, trust: trust)
    }

    /// The state of the library.
    var state: State { current.withLock { $0 } }

    /// Where the library lies.
    var libraryPath: String { path + "/" + (manifest.library ?? "") }

    /// Returns the plugin; checks the files and loads the library on the first call.
    ///
    /// Waits while another thread does so, and for the linker and the initialiser as long as the limit allows.
    ///
    /// - Parameters:
    ///   - limit: How long loading may take behind the check of the files, in seconds.
    ///   - prepare: Called before the library is loaded.
    /// - Throws: ``PluginError``: why there is no plugin.
    func plugin(
        limit: Double, prepare: @escaping @Sendable (PluginManifest) -> Void = { _ in }
    ) throws -> LoadedPlugin {
        if let plugin = try present() { return plugin }
        let work = try loading.withLock { loading -> PluginLoading? in
            if let running = loading, !running.isOver { return running }
            // A load by another thread may have ended since; the plugin's initialiser must not run twice.
            guard try present() == nil else { return nil }
            let new = PluginLoading()
            loading = new
            DedicatedQueue.run("descant.plugin.load") { [self] in load(new, limit: limit, prepare) }
            return new
        }
        if let operation = work?.wait(limit: limit) { throw retire(operation: operation, seconds: limit) }
        if let plugin = try present() { return plugin }
        throw work?.failure ?? PluginError.badLibrary(path: libraryPath, reason: "it was not loaded")
    }

    /// The loaded plugin; `nil` when it can be loaded. Throws for an unusable bundle.
    private func present() throws -> LoadedPlugin? {
        switch state {
        case .loaded(let plugin): return plugin
        case .refused(let error), .failed(let error): throw error
        case .unread, .checked: return nil
        }
    }

    /// Performs every check that comes before loading.
    ///
    /// - Throws: ``PluginError``; ``CoreError`` when the system lacks something for a moment, which refuses nothing.
    func check() throws {
        guard try present() == nil else { return }
        do {
            _ = try PluginInspection.check(bundle: path, manifest: manifest)
            settle(.checked)
        } catch let error as PluginError {
            settle(.refused(error))
            throw error
        }
    }

    /// Marks the bundle as unusable after a call has exceeded its limit.
    func retire(operation: String, seconds: Double) -> PluginError {
        let error = PluginError.overdue(identifier: manifest.id, operation: operation, seconds: seconds)
        current.withLock { state in
            if case .failed = state { return }
            state = .failed(error)
        }
        return error
    }

    /// Notes that a helper process has loaded the library.
    func noteLoadInHelper() { overdueHelpers.withLock { $0 = 0 } }

    /// Marks the bundle as unusable after a helper process could not load the library. One that runs in this process as well stays in use.
    ///
    /// - Parameters:
    ///   - error: Why.
    ///   - ranCode: Whether code of the library may have run.
    func noteFailedLoadInHelper(_ error: PluginError, ranCode: Bool) {
        settle(ranCode ? .failed(error) : .refused(error))
    }

    /// Marks the bundle as unusable when two helper processes in a row have not loaded the library in time: the first one may have met a
    /// busy machine.
    ///
    /// - Parameter limit: The limit, in seconds.
    /// - Returns: The reason for a bundle that is not used again.
    func noteOverdueLoadInHelper(limit: Double) -> PluginError? {
        let count = overdueHelpers.withLock { count in
            count += 1
            return count
        }
        return count > 1 ? retire(operation: "load", seconds: limit) : nil
    }

    private func load(_ work: PluginLoading, limit: Double, _ prepare: (PluginManifest) -> Void) {
        defer { work.finish() }
        do {
            // The check comes right before every load, and its files stay open until the linker has read them.
            let files = try PluginInspection.check(bundle: path, manifest: manifest)
            settle(.checked)
            prepare(manifest)
            let plugin = try PluginLoader.load(libraryPath, manifest: manifest, files: files, limit: limit, work)
            settle(.loaded(plugin))
        } catch let failure as PluginLoader.Failure {
            settle(failure.ranCode ? .failed(failure.error) : .refused(failure.error))
        } catch let error as CoreError {
            // The system lacked something for a moment: the next attempt may succeed.
            work.fail(error)
        } catch {
            settle(.refused(.describing(error, path: libraryPath)))
        }
    }

    /// Sets the state of the library, unless a call has exceeded its limit meanwhile.
    private func settle(_ new: State) {
        current.withLock { state in
            switch state {
            case .failed, .loaded: break
            case .unread, .checked, .refused: state = new
            }
        }
    }
}

/// An attempt to load a library; several threads may wait for it.
final class PluginLoading: Sendable {
    // Left when the plugin's own code begins to run; the host's work before it has no limit.
    private let begun = DispatchGroup()
    private let done = EventCount()
    private let progress = Mutex((operation: "load", hasBegun: false, isOver: false))
    private let reason = Mutex<CoreError?>(nil)

    init() {
        begun.enter()
    }

    /// Whether the attempt has ended.
    var isOver: Bool { progress.withLock { $0.isOver } }

    /// Marks the start of the plugin's code.
    ///
    /// - Parameter operation: The name of the call.
    func begin(_ operation: String) {
        let isFirst = progress.withLock { progress in
            defer { progress.hasBegun = true }
            progress.operation = operation
            return !progress.hasBegun
        }
        if isFirst { begun.leave() }
    }

    /// Why the attempt failed, where that says nothing about the bundle.
    var failure: CoreError? { reason.withLock { $0 } }

    /// Sets ``failure``.
    func fail(_ error: CoreError) { reason.withLock { $0 = error } }

    /// Marks the end, with or without success.
    func finish() {
        begin(progress.withLock { $0.operation })
        progress.withLock { $0.isOver = true }
        done.raise()
    }

    /// Waits for the end.
    ///
    /// - Parameter limit: The limit of the plugin's own code, in seconds.
    /// - Returns: The operation that exceeded it; `nil` when the attempt has ended.
    func wait(limit: Double) -> String? {
        begun.wait()
        guard !done.wait(after: 0, limit: limit) else { return nil }
        return progress.withLock { $0.isOver ? nil : $0.operation }
    }
}

/// The manifest.
extension PluginBundle {
    /// The folder name's ending.
    static let suffix = ".descantplugin"

    private static func readManifest(_ path: String, trust: PluginTrust) throws -> (PluginManifest, digest: String) {
        try TrustedPath.checkAncestors(of: path)
        try TrustedPath.checkFolder(path, isContainer: false)
        let file = path + "/manifest.json"
        let json: Data
        var files = CheckedFiles()
        do {
            json = try files.read("manifest.json", in: path, limit: 1 << 20)
        } catch PluginError.badLibrary(_, let reason) {
            throw PluginError.badManifest(path: file, reason: reason)
        }
        try trust.check(json, of: path, &files)
        try checkCompatibility(json, path: path)
        let manifest = try PluginManifest(json: json, path: file)
        try checkBundleFields(manifest, path: file)
        return (manifest, SHA256.hexadecimal(json))
    }

    /// What the manifest of a bundle for another ABI declares, as far as this release reads it.
    static func declaredManifest(of path: String) -> PluginManifest? {
        var files = CheckedFiles()
        let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let json = try? files.read("manifest.json", in: folder, limit: 1 << 20) else { return nil }
        return try? PluginManifest(json: json, path: folder)
    }

    /// Called first: a manifest for another ABI may have another form.
    private static func checkCompatibility(_ json: Data, path: String) throws {
        struct Header: Decodable {
            var abi: Int?
            var swiftVersion: String?
        }
        guard let header = try? JSONDecoder().decode(Header.self, from: json), let abi = header.abi,
            let swiftVersion = header.swiftVersion
        else { return }  // Reading the whole manifest reports the error.
        let plugin = PluginCompatibility(abi: abi, swiftVersion: swiftVersion)
        guard plugin == PluginEntry.compatibility else {
            throw PluginError.incompatible(
                path: path, plugin: "\(plugin)".clippedForMessage, host: "\(PluginEntry.compatibility)")
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
                throw PluginError.badManifest(
                    path: path, reason: "\"\(name.clippedForMessage)\" is not a path inside the bundle")
            }
        }
        guard let isolation = manifest.isolation else { return }
        guard isolation == PluginIsolation.process else {
            throw PluginError.unsupportedRequirement(
                path: path, requirement: "isolation: \(isolation.clippedForMessage)")
        }
        if let other = manifest.provides.first(where: { !PluginIsolation.kinds.contains($0.kind) }) {
            throw PluginError.unsupportedRequirement(
                path: path, requirement: "isolation: \(isolation) for \(other.kind.rawValue) \(other.identifier)")
        }
    }
}
