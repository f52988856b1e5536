public import Foundation
internal import Synchronization

/// Finds plugins, loads them when they are first needed, and makes what they provide.
///
/// ``scan()`` reads manifests only. A library is brought into the process by the first call that needs something it
/// provides: one of the `make` methods, ``decoders(for:)`` for a file that its manifest speaks for, or
/// ``open(_:mimeType:)``. Before that its files are checked, and a bundle that fails a check is never run: it is listed
/// in ``unavailable`` with the reason, and the host goes on. A loaded library stays until the process ends.
///
/// All methods may be called from any thread. Those that may load a library block for as long as the disk and the plugin
/// take, and for no longer than ``limits`` allow; the others return at once. A plugin's code runs on threads of its own and
/// under no lock that a call for another bundle needs.
public final class PluginRegistry: Sendable {
    private struct Refusal {
        var path: String
        var manifest: PluginManifest?
        var error: PluginError
    }

    private struct State {
        var builtIn: [RegisteredProvider] = []
        var bundles: [PluginBundle] = []
        var provided: [RegisteredProvider] = []
        var refusals: [Refusal] = []
    }

    /// The folders that are searched for bundles; the first one that has an identifier wins.
    public let searchPath: [URL]
    /// Which bundles are taken by their licence; what the host registers in code is not asked.
    public let licenses: LicensePolicy
    /// How long calls into the plugins of bundles may take.
    public let limits: CallLimits

    private let state = Mutex(State())
    private let preparation = Mutex<@Sendable (PluginManifest) -> Void>({ _ in })
    private let logger: any LoggerPort
    private let clock: any ClockPort

    /// Creates an empty registry; call ``scan()`` to fill it.
    ///
    /// - Parameters:
    ///   - searchPath: The folders to search for bundles.
    ///   - licenses: Which bundles are taken by their licence.
    ///   - limits: How long calls into plugins may take.
    ///   - logger: Where plugins log, and where refusals are logged.
    ///   - clock: The clock that plugins get.
    public init(
        searchPath: [URL] = PluginRegistry.standardSearchPath(), licenses: LicensePolicy = .standard(),
        limits: CallLimits = CallLimits(), logger: any LoggerPort = NoopLogger(),
        clock: any ClockPort = MonotonicClock()
    ) {
        self.searchPath = searchPath
        self.licenses = licenses
        self.limits = limits
        self.logger = logger
        self.clock = clock
    }

    // MARK: What there is

    /// Offers something that the host makes in code.
    ///
    /// Of several with one identifier the first registered wins, and the host's own win over bundles.
    ///
    /// - Parameter provision: What to offer.
    public func register(_ provision: PluginProvision) {
        state.withLock { $0.builtIn.append(RegisteredProvider(provision)) }
    }

    /// Reads the manifests of every bundle on the search path.
    ///
    /// Runs no plugin's code.
    ///
    /// May be repeated: loaded bundles stay as they are, everything else is read anew.
    public func scan() {
        var bundles = state.withLock { $0.bundles.filter(\.isInProcess) }
        var refusals: [Refusal] = []
        for path in Self.bundlePaths(in: searchPath) where !bundles.contains(where: { $0.path == path }) {
            var manifest: PluginManifest?
            do {
                let bundle = try PluginBundle(path: path)
                manifest = bundle.manifest
                try accept(bundle, beside: bundles)
                bundles.append(bundle)
            } catch {
                let error = PluginError.describing(error, path: path)
                refusals.append(Refusal(path: path, manifest: manifest, error: error))
            }
        }
        for refusal in refusals { logger.warn("\(refusal.error)") }
        replace(bundles, refusals)
    }

    /// What the registry has against a bundle whose manifest is a good one.
    private func accept(_ bundle: PluginBundle, beside others: [PluginBundle]) throws {
        let license = bundle.manifest.license
        if let objection = licenses.objection(to: license) {
            throw PluginError.licenseRefused(path: bundle.path, license: license, objection: objection)
        }
        let identifier = bundle.manifest.id
        if let first = others.first(where: { $0.manifest.id == identifier }) {
            throw PluginError.duplicateIdentifier(identifier: identifier, first: first.path, second: bundle.path)
        }
    }

    private func replace(_ bundles: [PluginBundle], _ refusals: [Refusal]) {
        state.withLock { state in
            let known = state.provided
            state.provided = bundles.flatMap { bundle in
                let present = known.filter { $0.bundle === bundle }
                guard present.isEmpty else { return present }
                return bundle.manifest.provides.map { RegisteredProvider($0, bundle: bundle) }
            }
            state.bundles = bundles
            state.refusals = refusals
        }
    }

    /// Performs every check that comes before loading on all bundles, so that ``available`` and ``unavailable`` tell
    /// what a host could load.
    ///
    /// Runs no plugin's code; reads every library.
    public func verify() {
        for bundle in state.withLock({ $0.bundles }) {
            do { try bundle.check() } catch { logger.warn("\(error)") }
        }
    }

    /// The bundles that can be used, as far as they have been checked.
    public var available: [AvailablePlugin] {
        state.withLock { $0.bundles }.filter { $0.failure == nil }.map { bundle in
            AvailablePlugin(manifest: bundle.manifest, path: bundle.path, isLoaded: bundle.isInProcess)
        }
    }

    /// The bundles that cannot be used, and why.
    public var unavailable: [UnavailablePlugin] {
        let (bundles, refusals) = state.withLock { ($0.bundles, $0.refusals) }
        let found = refusals.map { UnavailablePlugin(path: $0.path, identifier: $0.manifest?.id, error: $0.error) }
        let failed = bundles.compactMap { bundle in
            bundle.failure.map { UnavailablePlugin(path: bundle.path, identifier: bundle.manifest.id, error: $0) }
        }
        return found + failed
    }

    /// What can be asked for, the host's own first.
    ///
    /// - Parameter kind: The kind of thing.
    public func providers(of kind: PluginKind) -> [AvailableProvider] {
        registered(kind).map { AvailableProvider(provision: $0.provision, plugin: $0.plugin) }
    }

    /// Every provider of a kind whose bundle was not found unusable, in the order of registration.
    func registered(_ kind: PluginKind) -> [RegisteredProvider] {
        state.withLock { $0.builtIn + $0.provided }.filter { $0.provision.kind == kind && $0.isUsable }
    }

    /// Why nothing provides an identifier: the licence of a bundle that would, or that there is none.
    func absence(of kind: PluginKind, _ identifier: String) -> PluginError {
        let refusal = state.withLock { $0.refusals }.first { refusal in
            guard case .licenseRefused = refusal.error else { return false }
            return refusal.manifest?.provides.contains { $0.kind == kind && $0.identifier == identifier } == true
        }
        return refusal?.error ?? .notProvided(kind: kind.rawValue, identifier: identifier)
    }

    /// What a provider gets from the host.
    func context(for provider: RegisteredProvider, mixer: (any MixingEngine)? = nil) -> PluginContext {
        PluginContext(logger: logger, clock: clock, bundleURL: provider.folder, mixer: mixer)
    }

    /// Sets what happens before a bundle's library is loaded, on the thread that loads it.
    ///
    /// - Parameter work: Receives the bundle's manifest.
    package func prepareLoading(_ work: @escaping @Sendable (PluginManifest) -> Void) {
        preparation.withLock { $0 = work }
    }

    /// Returns what makes a provider's objects; loads the bundle on the first call.
    ///
    /// - Throws: ``PluginError``.
    func factory(of provider: RegisteredProvider) throws -> PluginProvision.Factory {
        let provision = provider.provision
        guard let bundle = provider.bundle else { return provision.factory }
        let plugin = try bundle.plugin(limit: limits.load, prepare: preparation.withLock { $0 })
        let match = plugin.provides.first { $0.kind == provision.kind && $0.identifier == provision.identifier }
        return match?.factory ?? PluginProvision.Factory()
    }

    /// Notes that a call into a bundle's plugin has exceeded its limit: the bundle is not asked again in this process.
    ///
    /// - Parameters:
    ///   - plugin: The bundle's identifier; others, such as built-in decoders, are not noted.
    ///   - operation: What the call was to do.
    ///   - seconds: The limit.
    package func retire(_ plugin: String, operation: String, seconds: Double) {
        guard let bundle = state.withLock({ $0.bundles.first { $0.manifest.id == plugin } }) else { return }
        let error = bundle.retire(operation: operation, seconds: seconds)
        // A host's logger may take its time, and this is called on threads that must not.
        DedicatedQueue.run("descant.plugin.log") { [logger] in logger.warn("\(error)") }
    }

    /// Logs why a provider was passed over.
    func note(_ provider: RegisteredProvider, _ error: any Error) { logger.warn("\(provider.name): \(error)") }
}

/// Where bundles are looked for.
extension PluginRegistry {
    /// `DESCANT_PLUGIN_PATH`, beside the executable, `../lib/descant/plugins` from there, the user's and the system's
    /// data folders.
    ///
    /// - Parameters:
    ///   - environment: The variables of the process.
    ///   - executable: The program's file.
    public static func standardSearchPath(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        executable: URL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    ) -> [URL] {
        func folders(_ list: String) -> [URL] {
            list.split(separator: ":").map { URL(fileURLWithPath: String($0), isDirectory: true) }
        }
        func variable(_ name: String, default value: String) -> String {
            environment[name].flatMap { $0.isEmpty ? nil : $0 } ?? value
        }
        let program = executable.deletingLastPathComponent()
        let home = variable("HOME", default: "/")
        let data =
            folders(variable("XDG_DATA_HOME", default: home + "/.local/share"))
            + folders(variable("XDG_DATA_DIRS", default: "/usr/local/share:/usr/share"))
        return folders(environment["DESCANT_PLUGIN_PATH"] ?? "")
            + [program, program.deletingLastPathComponent().appendingPathComponent("lib/descant/plugins")]
            + data.map { $0.appendingPathComponent("descant/plugins") }
    }

    private static func bundlePaths(in folders: [URL]) -> [String] {
        var paths: [String] = []
        for folder in folders {
            // A folder that is not there offers nothing; that is the usual case and no error.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for name in names.sorted() where name.hasSuffix(PluginBundle.suffix) {
                let path = folder.appendingPathComponent(name).resolvingSymlinksInPath().path
                if !paths.contains(path) { paths.append(path) }
            }
        }
        return paths
    }
}

extension PluginBundle {
    /// Whether code of the bundle is in this process.
    var isInProcess: Bool {
        switch state {
        case .loaded, .failed: true
        case .unread, .checked, .refused: false
        }
    }

    /// Why the bundle cannot be used.
    var failure: PluginError? {
        switch state {
        case .refused(let error), .failed(let error): error
        case .unread, .checked, .loaded: nil
        }
    }
}

extension PluginError {
    /// The error itself, or one that carries another kind of error's message.
    static func describing(_ error: any Error, path: String) -> PluginError {
        error as? PluginError ?? .badManifest(path: path, reason: "\(error)")
    }
}
