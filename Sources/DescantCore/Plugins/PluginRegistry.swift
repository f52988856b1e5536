public import Foundation
internal import Synchronization

/// Finds plugins, loads them on first use, and makes the objects that they provide.
///
/// ``scan()`` reads manifests only. A library is brought into the process by the first call that needs something it
/// provides: one of the `make` methods, ``decoders(for:)`` for a file that its manifest matches, or
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
        /// What a bundle for another ABI declares.
        var declared: PluginManifest?
        var error: PluginError
    }

    private struct State {
        var builtIn: [RegisteredProvider] = []
        var bundles: [PluginBundle] = []
        var provided: [RegisteredProvider] = []
        var refusals: [Refusal] = []
        var trust: PluginTrust
        /// The folders of the search path as the last scan found them; `nil` before the first scan.
        var folders: [FolderStamp]?
    }

    /// The folders that are searched for bundles; the first one that has an identifier wins.
    public let searchPath: [URL]
    /// Which bundles are taken by their licence; what the host registers in code is not asked.
    public let licenses: LicensePolicy
    /// How long calls into the plugins of bundles may take.
    public let limits: CallLimits
    /// Which decoders, tag readers and synthesizers run in helper processes.
    public let isolation: PluginIsolation

    private let state: Mutex<State>
    private let preparation = SharedCallback<PluginManifest>()
    private let logger: any LoggerPort
    private let clock: any ClockPort
    // Held by a scan, so that two scans do not make two objects for one bundle.
    private let scanning = Mutex(())

    /// Creates an empty registry; call ``scan()`` to fill it.
    ///
    /// - Parameters:
    ///   - searchPath: The folders to search for bundles.
    ///   - licenses: Which bundles are taken by their licence.
    ///   - limits: How long calls into plugins may take.
    ///   - logger: Where plugins log, and where refusals are logged.
    ///   - clock: The clock that plugins get.
    public convenience init(
        searchPath: [URL] = PluginRegistry.standardSearchPath(), licenses: LicensePolicy = .standard(),
        limits: CallLimits = CallLimits(), logger: any LoggerPort = NoopLogger(),
        clock: any ClockPort = MonotonicClock()
    ) {
        self.init(
            isolation: .asManifest, searchPath: searchPath, licenses: licenses, limits: limits, logger: logger,
            clock: clock)
    }

    /// Creates an empty registry that runs decoders, tag readers and synthesizers in helper processes; call ``scan()`` to fill it.
    ///
    /// - Parameters:
    ///   - isolation: Which of them, and what a helper may use.
    ///   - trust: Whose bundles are accepted; what the host registers in code needs no signature.
    ///   - searchPath: The folders to search for bundles.
    ///   - licenses: Which bundles are taken by their licence.
    ///   - limits: How long calls into plugins may take.
    ///   - logger: Where plugins log, and where refusals are logged. Plugins in helpers do not log.
    ///   - clock: The clock that plugins get.
    public init(
        isolation: PluginIsolation, trust: PluginTrust = .everybody,
        searchPath: [URL] = PluginRegistry.standardSearchPath(), licenses: LicensePolicy = .standard(),
        limits: CallLimits = CallLimits(), logger: any LoggerPort = NoopLogger(),
        clock: any ClockPort = MonotonicClock()
    ) {
        state = Mutex(State(trust: trust))
        self.isolation = isolation
        self.searchPath = searchPath
        self.licenses = licenses
        self.limits = limits
        self.logger = logger
        self.clock = clock
    }

    /// Creates an empty registry that accepts only bundles that are signed by a trusted key; call ``scan()`` to fill it.
    ///
    /// - Parameters:
    ///   - trust: Whose bundles are accepted; what the host registers in code needs no signature.
    ///   - searchPath: The folders to search for bundles.
    ///   - licenses: Which bundles are taken by their licence.
    ///   - limits: How long calls into plugins may take.
    ///   - logger: Where plugins log, and where refusals are logged.
    ///   - clock: The clock that plugins get.
    public convenience init(
        trust: PluginTrust, searchPath: [URL] = PluginRegistry.standardSearchPath(),
        licenses: LicensePolicy = .standard(), limits: CallLimits = CallLimits(), logger: any LoggerPort = NoopLogger(),
        clock: any ClockPort = MonotonicClock()
    ) {
        self.init(
            isolation: .asManifest, trust: trust, searchPath: searchPath, licenses: licenses, limits: limits,
            logger: logger, clock: clock)
    }

    // MARK: What there is

    /// Registers a provision of the host's own.
    ///
    /// The first of several with one identifier wins; the host's own win over those of bundles.
    ///
    /// - Parameter provision: The description and the closure.
    public func register(_ provision: PluginProvision) {
        state.withLock { $0.builtIn.append(RegisteredProvider(provision)) }
    }

    /// Reads the manifests of every bundle on the search path.
    ///
    /// Runs no plugin's code.
    ///
    /// May be repeated: loaded bundles stay as they are, all others are read again. After the first scan, a request for something that no bundle
    /// provides repeats it by itself when a folder of the search path has changed: a bundle that is added while the host runs is found.
    public func scan() {
        let refusals = scanning.withLock { _ in search() }
        for refusal in refusals { logger.warn("\(refusal.error)") }
    }

    /// Scans again if a bundle may have been added or removed since the last scan.
    ///
    /// - Returns: Whether it has scanned.
    func rescanIfChanged() -> Bool {
        guard let seen = state.withLock({ $0.folders }), seen != searchPath.map(FolderStamp.init) else { return false }
        let refusals = scanning.withLock { _ -> [Refusal]? in
            // Another thread may have scanned meanwhile.
            state.withLock { $0.folders } == searchPath.map(FolderStamp.init) ? nil : search()
        }
        for refusal in refusals ?? [] { logger.warn("\(refusal.error)") }
        return true
    }

    /// Reads the manifests and returns what was refused.
    private func search() -> [Refusal] {
        // Before the reading, so that a bundle that comes during it changes them.
        let folders = searchPath.map(FolderStamp.init)
        let (trust, known) = state.withLock { ($0.trust, $0.bundles) }
        var bundles = known.filter(\.isInProcess)
        var refusals: [Refusal] = []
        for path in Self.bundlePaths(in: searchPath) where !bundles.contains(where: { $0.path == path }) {
            var manifest: PluginManifest?
            do {
                var bundle = try PluginBundle(path: path, trust: trust)
                manifest = bundle.manifest
                // An unchanged bundle keeps its object: another thread may load it now.
                if let same = known.first(where: {
                    $0.path == bundle.path && $0.manifestDigest == bundle.manifestDigest && $0.failure == nil
                }) {
                    bundle = same
                }
                try accept(bundle, beside: bundles)
                bundles.append(bundle)
            } catch {
                let error = PluginError.describing(error, path: path)
                var refusal = Refusal(path: path, manifest: manifest, error: error)
                // Its folder has passed the checks; only its version is another.
                if case .incompatible = error { refusal.declared = PluginBundle.declaredManifest(of: path) }
                refusals.append(refusal)
            }
        }
        // Bundles that are loaded already come first in the list. They are sorted by the search path, because of two bundles that provide the same the
        // first one on the path is used.
        let order = Self.bundlePaths(in: searchPath)
        let places = bundles.map { bundle in (bundle, order.firstIndex(of: bundle.path) ?? -1) }
        replace(places.sorted { $0.1 < $1.1 }.map(\.0), refusals, folders)
        return refusals
    }

    /// Throws when the licence is refused or the identifier is taken.
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

    private func replace(_ bundles: [PluginBundle], _ refusals: [Refusal], _ folders: [FolderStamp]) {
        state.withLock { state in
            let known = state.provided
            state.provided = bundles.flatMap { bundle in
                let present = known.filter { $0.bundle === bundle }
                guard present.isEmpty else { return present }
                return providers(of: bundle)
            }
            state.bundles = bundles
            state.refusals = refusals
            state.folders = folders
        }
    }

    /// The provisions of a bundle; those that are to be isolated share their helpers.
    private func providers(of bundle: PluginBundle) -> [RegisteredProvider] {
        let helpers = HelperPool(.bundle(bundle), isolation: isolation, limits: limits) { [logger] error in
            logger.warn("\(error)")
        }
        return bundle.manifest.provides.map { provision in
            let isIsolated = isolation.contains(provision, of: bundle.manifest)
            return RegisteredProvider(provision, bundle: bundle, helpers: isIsolated ? helpers : nil)
        }
    }

    /// Offers the decoder and the tag reader of ``HelperServer/BuiltIn`` in helper processes.
    ///
    /// - Parameters:
    ///   - decoder: The decoder's identifier; it gets every file, after all others.
    ///   - tagReader: The tag reader's identifier.
    ///   - extensions: The files that the tag reader is for.
    /// - Returns: The tag reader.
    package func registerBuiltInHelpers(
        decoder: String, tagReader: String, extensions: [String]
    ) -> any TagReaderPort & Sendable {
        let helpers = HelperPool(.builtIn, isolation: isolation, limits: limits)
        let provisions: [PluginProvision] = [
            .decoder(decoder, extensions: ["*"], priority: .min) { IsolatedDecoder(helpers, identifier: decoder) },
            .tagReader(tagReader, extensions: extensions) { IsolatedTagReader(helpers, identifier: tagReader) },
        ]
        state.withLock { $0.builtIn += provisions.map { RegisteredProvider($0, helpers: helpers) } }
        return IsolatedTagReader(helpers, identifier: tagReader)
    }

    /// How long calls may take before they are abandoned. Helpers keep the limits themselves and need time to start.
    func limits(of provider: RegisteredProvider) -> CallLimits {
        guard provider.helpers != nil else { return limits }
        let grace = 5.0
        var result = limits
        // A start in the background is waited for, and another one is begun when it fails.
        let start = 2 * limits.load + grace
        result.make += start
        result.score += start
        result.open += start
        result.read += limits.read + grace
        result.seek += limits.read + grace
        result.close += limits.read + grace
        return result
    }

    /// Performs the checks before loading on all bundles, so that ``available`` and ``unavailable`` are final.
    ///
    /// Runs no plugin's code; reads every library.
    public func verify() {
        for bundle in state.withLock({ $0.bundles }) {
            do { try bundle.check() } catch { logger.warn("\(error)") }
        }
    }

    /// The bundles that have passed all checks so far.
    public var available: [AvailablePlugin] {
        state.withLock { $0.bundles }.filter { $0.failure == nil }.map { bundle in
            AvailablePlugin(manifest: bundle.manifest, path: bundle.path, isLoaded: bundle.isInProcess)
        }
    }

    /// The refused and failed bundles with their errors.
    public var unavailable: [UnavailablePlugin] {
        let (bundles, refusals) = state.withLock { ($0.bundles, $0.refusals) }
        let found = refusals.map { UnavailablePlugin(path: $0.path, identifier: $0.manifest?.id, error: $0.error) }
        let failed = bundles.compactMap { bundle in
            bundle.failure.map { UnavailablePlugin(path: bundle.path, identifier: bundle.manifest.id, error: $0) }
        }
        return found + failed
    }

    /// The provisions of a kind, the host's own first.
    ///
    /// - Parameter kind: The kind.
    public func providers(of kind: PluginKind) -> [AvailableProvider] {
        registered(kind).map { AvailableProvider(provision: $0.provision, plugin: $0.plugin) }
    }

    /// The usable providers of a kind in the order of registration.
    func registered(_ kind: PluginKind) -> [RegisteredProvider] {
        state.withLock { $0.builtIn + $0.provided }.filter { $0.provision.kind == kind && $0.isUsable }
    }

    /// The error for an identifier without a provider: a refused licence, or ``PluginError/notProvided(kind:identifier:)``.
    func absence(of kind: PluginKind, _ identifier: String) -> PluginError {
        let refusal = state.withLock { $0.refusals }.first { refusal in
            guard case .licenseRefused = refusal.error else { return false }
            return refusal.manifest?.provides.contains { $0.kind == kind && $0.identifier == identifier } == true
        }
        return refusal?.error ?? .notProvided(kind: kind.rawValue, identifier: identifier)
    }

    /// Describes the bundles that declare a decoder for a file and cannot be used, each with its path and the reason; empty
    /// without any.
    ///
    /// - Parameter input: The file's first bytes, extension and MIME type.
    package func unusableDecoders(for input: ProbeInput) -> String {
        let (bundles, refusals) = state.withLock { ($0.bundles, $0.refusals) }
        let unusable =
            refusals.map { ($0.path, $0.manifest ?? $0.declared, $0.error) }
            + bundles.compactMap { bundle in bundle.failure.map { (bundle.path, bundle.manifest, $0) } }
        return unusable.compactMap { path, manifest, error in
            let decodes = manifest?.provides.contains { provision in
                provision.kind == .decoder && provision.fileTypes.contains { $0.score(input) > .none }
            }
            return decodes == true ? "; \(path) supports it and was refused: \(error)" : nil
        }.joined()
    }

    /// The context for a provider's closure.
    func context(for provider: RegisteredProvider, mixer: (any MixingEngine)? = nil) -> PluginContext {
        PluginContext(logger: logger, clock: clock, bundleURL: provider.folder, mixer: mixer)
    }

    /// Sets the work before a library is loaded, on the thread that loads it.
    ///
    /// - Parameter work: Receives the bundle's manifest.
    package func prepareLoading(_ work: @escaping @Sendable (PluginManifest) -> Void) { preparation.set(work) }

    /// Returns what makes a provider's objects; loads the bundle on the first call.
    ///
    /// - Throws: ``PluginError``.
    func factory(of provider: RegisteredProvider) throws -> PluginProvision.Factory {
        let provision = provider.provision
        guard let bundle = provider.bundle else { return provision.factory }
        if let helpers = provider.helpers {
            let name = provision.identifier
            var factory = PluginProvision.Factory()
            switch provision.kind {
            case .decoder: factory.decoder = { _ in IsolatedDecoder(helpers, identifier: name) }
            case .tagReader: factory.tagReader = { _ in IsolatedTagReader(helpers, identifier: name) }
            case .speech: factory.speech = { _ in try IsolatedSynthesizer(helpers.forSpeech(), identifier: name) }
            case .engine, .tagWriter, .output, .effect: break
            }
            return factory
        }
        let plugin = try bundle.plugin(limit: limits.load, prepare: { [preparation] in preparation($0) })
        let match = plugin.provides.first { $0.kind == provision.kind && $0.identifier == provision.identifier }
        return match?.factory ?? PluginProvision.Factory()
    }

    /// Marks a bundle as unusable in this process after a call has exceeded its limit.
    ///
    /// - Parameters:
    ///   - plugin: The bundle's identifier; an unknown one, such as a built-in decoder's, has no effect.
    ///   - operation: The name of the call.
    ///   - seconds: The limit.
    package func retire(_ plugin: String, operation: String, seconds: Double) {
        guard let bundle = state.withLock({ $0.bundles.first { $0.manifest.id == plugin } }) else { return }
        let error = bundle.retire(operation: operation, seconds: seconds)
        // A host's logger may block, and the calling thread may not.
        DedicatedQueue.run("descant.plugin.log") { [logger] in logger.warn("\(error)") }
    }

    /// Logs the reason for skipping a provider.
    func note(_ provider: RegisteredProvider, _ error: any Error) { logger.warn("\(provider.name): \(error)") }
}

extension PluginBundle {
    /// Whether the library is loaded.
    var isInProcess: Bool {
        switch state {
        case .loaded, .failed: true
        case .unread, .checked, .refused: false
        }
    }

    /// The error of an unusable bundle.
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
