internal import Foundation
internal import Glibc
internal import Synchronization

/// Starts the helpers of one bundle, or of what is built in, and keeps one ready.
///
/// Every open stream has a helper of its own. A helper whose stream was closed without trouble serves a later one.
final class HelperPool: Sendable {
    /// What a helper serves.
    enum Content: Sendable {
        case bundle(PluginBundle)
        /// The built-in decoder and tag reader.
        case builtIn
    }

    private struct State {
        var idle: [HelperProcess] = []
        var isStarting = false
        var isClosed = false
        /// The helpers that serve somebody through ``HelperPool/withHelper(_:)``.
        var serving: [HelperProcess] = []
        var isInterrupted = false
        /// How many helpers could not be started in a row, and until when none is started.
        var failures = 0
        var pause: UInt64 = 0
        /// Why the last one could not be started.
        var lastFailure: (any Error)?
    }

    let content: Content
    let isolation: PluginIsolation
    let limits: CallLimits
    /// The folders that the helpers may read; `nil` for none.
    private let readable: [String]?
    private let onOverdue: @Sendable (PluginError) -> Void
    private let state = Mutex(State())
    /// Raised when a start in the background has ended.
    private let started = EventCount()
    private let clock = MonotonicClock()

    /// How many helpers wait: the one of the track that has ended, and one that is opened before the end of the next.
    private static let idleLimit = 2
    /// The longest pause after helpers that could not be started, in seconds.
    private static let longestPause = 30.0
    private static let interruption = "the synthesizer was shut down"

    /// - Parameters:
    ///   - content: What the helpers serve.
    ///   - isolation: What they may use.
    ///   - limits: How long they may take.
    ///   - readable: The folders that they may read; `nil` for none.
    ///   - onOverdue: Receives the error of a bundle that is not used again because it was not loaded in time.
    init(
        _ content: Content, isolation: PluginIsolation, limits: CallLimits, readable: [String]? = nil,
        onOverdue: @escaping @Sendable (PluginError) -> Void = { _ in }
    ) {
        self.content = content
        self.isolation = isolation
        self.limits = limits
        self.readable = readable
        self.onOverdue = onOverdue
    }

    /// Helpers for a synthesizer of the same bundle: they keep its voices in memory, and may read its files.
    func forSpeech() -> HelperPool {
        var folders = isolation.readable.map(\.path)
        if case .bundle(let bundle) = content { folders.append(bundle.path) }
        return HelperPool(content, isolation: isolation, limits: limits, readable: folders, onOverdue: onOverdue)
    }

    /// The plugin in errors.
    var name: String {
        switch content {
        case .bundle(let bundle): bundle.manifest.id
        case .builtIn: "gstreamer"
        }
    }

    /// Returns a helper that serves nobody else; starts one when none is ready.
    ///
    /// - Throws: ``PluginError`` for a bundle that cannot be used or loaded, ``CoreError/unsupported(_:)`` without the helper program,
    ///   ``CoreError/ioError(underlying:)`` when no helper starts.
    func acquire() throws -> HelperProcess {
        while true {
            let seen = started.raises
            let (idle, isStarting) = state.withLock { ($0.idle.popLast(), $0.isStarting) }
            if let idle {
                if idle.isUsable { return idle }
                idle.end("it is not needed any more")
            } else if !isStarting || !started.wait(after: seen, limit: limits.load) {
                return try start()
            }
        }
    }

    /// Takes a helper back.
    ///
    /// - Parameters:
    ///   - helper: A helper between requests.
    ///   - isNew: Whether it has served nobody; those that have serve again first.
    func release(_ helper: HelperProcess, isNew: Bool = false) {
        guard helper.isUsable else { return helper.end("it is not needed any more") }
        let superfluous = state.withLock { state -> HelperProcess? in
            guard !state.isClosed else { return helper }
            // The helper that was used last has the most in memory.
            state.idle.insert(helper, at: isNew ? 0 : state.idle.count)
            return state.idle.count > Self.idleLimit ? state.idle.removeFirst() : nil
        }
        superfluous?.end("it is not needed any more")
    }

    /// Calls a body with a helper, which serves others afterwards if it can. ``interrupt()`` ends it.
    ///
    /// - Throws: As ``acquire()``, what the body throws, and ``CoreError/invalidState(_:)`` after ``interrupt()``.
    func withHelper<Value>(_ body: (HelperProcess) throws -> Value) throws -> Value {
        let helper = try acquire()
        defer { release(helper) }
        let isInterrupted = state.withLock { state in
            if !state.isInterrupted { state.serving.append(helper) }
            return state.isInterrupted
        }
        guard !isInterrupted else { throw CoreError.invalidState("\(name): \(Self.interruption)") }
        defer { state.withLock { $0.serving.removeAll { $0 === helper } } }
        return try body(helper)
    }

    /// Ends the helpers that serve in ``withHelper(_:)``, also those that hang, and refuses further ones.
    func interrupt() {
        let serving = state.withLock { state in
            state.isInterrupted = true
            return state.serving
        }
        for helper in serving { helper.end(Self.interruption) }
    }

    /// Ends the idle helpers, and those that are released later. Blocks while one is being started.
    func close() {
        state.withLock { $0.isClosed = true }
        while true {
            let seen = started.raises
            guard state.withLock({ $0.isStarting }) else { break }
            started.wait(after: seen)
        }
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for helper in idle { helper.end("it is not needed any more") }
    }

    /// Starts a helper in the background unless one is ready.
    func prepare() {
        let mustStart = state.withLock { state in
            guard state.idle.isEmpty, !state.isStarting, !state.isClosed, state.failures == 0 else { return false }
            state.isStarting = true
            return true
        }
        guard mustStart else { return }
        DedicatedQueue.run("descant.helper.start", qos: .utility) { [weak self] in
            guard let self else { return }
            if let helper = try? self.start() { self.release(helper, isNew: true) }
            self.state.withLock { $0.isStarting = false }
            self.started.raise()
        }
    }

    private func start() throws -> HelperProcess {
        // No further helper can load such a bundle.
        if case .bundle(let bundle) = content, let failure = bundle.failure { throw failure }
        let now = clock.now()
        let (failures, pause, last) = state.withLock { ($0.failures, $0.pause, $0.lastFailure) }
        if pause > now, let last {
            let seconds = (Double(pause - now) / 1e8).rounded(.up) / 10
            let error = last as? CoreError ?? CoreError.ioError(underlying: last)
            throw error.withMessage(
                "\(name): its helper could not be started \(failures) times, and is tried again in \(seconds) s: "
                    + error.message)
        }
        do {
            let helper = try makeHelper()
            state.withLock { $0.failures = 0 }
            return helper
        } catch {
            state.withLock { state in
                state.failures += 1
                state.lastFailure = error
                // The first failure may be chance.
                guard state.failures > 1 else { return }
                let seconds = min(0.1 * exp2(Double(state.failures)), Self.longestPause)
                state.pause = clock.now() + UInt64(seconds * 1e9)
            }
            throw error
        }
    }

    private func makeHelper() throws -> HelperProcess {
        let program = try HelperProgram.find(isolation.helper, for: name)
        var arguments = ["\(getpid())", "\(max(isolation.memoryLimit, 64 << 20))"]
        var limit = limits.load
        switch content {
        case .bundle(let bundle):
            let begin = clock.now()
            try bundle.check()
            // The helper checks the same files again. The limit is for what comes behind that.
            let seconds = Double(clock.now() - begin) / 1e9
            limit += (20 * seconds).rounded(.up) / 10
            arguments += [bundle.path, bundle.manifestDigest]
            if readable != nil { arguments.append(HelperServer.readsFiles) }
        case .builtIn: break
        }
        let helper = try HelperProcess(program: program, arguments: arguments, readable: readable, name: name)
        let greeting = try helper.greeting(limit: limit)
        if case .bundle(let bundle) = content { try note(greeting, of: bundle) }
        switch greeting {
        case .loaded: return helper
        case .failed(let failure): throw failure.error
        case .overdue(let error): throw error
        }
    }

    /// Keeps in mind whether a helper could load the bundle.
    ///
    /// - Throws: ``PluginError`` when the bundle cannot be loaded.
    private func note(_ greeting: HelperProcess.Greeting, of bundle: PluginBundle) throws {
        switch greeting {
        case .loaded: bundle.noteLoadInHelper()
        case .failed(let failure):
            guard let error = failure.pluginError(of: bundle) else { return }
            bundle.noteFailedLoadInHelper(error, ranCode: failure.ranCode ?? true)
            throw error
        case .overdue:
            guard let error = bundle.noteOverdueLoadInHelper(limit: limits.load) else { return }
            onOverdue(error)
            throw error
        }
    }
}

/// Finds the helper program.
package enum HelperProgram {
    static let fileName = "descant-plugin-host"

    /// The program's path.
    ///
    /// - Parameters:
    ///   - given: What the host's configuration names.
    ///   - name: The plugin in errors.
    /// - Throws: ``CoreError/unsupported(_:)`` naming the places, ``PluginError/unsafePermissions(path:reason:)``.
    static func find(_ given: URL?, for name: String) throws -> String {
        let candidates = given.map { [$0.path] } ?? standardPaths
        guard let path = candidates.first(where: { access($0, X_OK) == 0 }) else {
            // Not `notFound`, which would be read as the file's that was to be opened.
            throw CoreError.unsupported(
                "\(name) runs in a process of its own, and there is no program \(candidates.joined(separator: " or "));"
                    + " install \(fileName), which comes with Descant, there, or name it in PluginIsolation.helper")
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw CoreError.opening(path, errno) }
        try TrustedPath.checkAncestors(of: path)
        try TrustedPath.checkFile(path, status)
        return path
    }

    /// The path of the program that is installed; see ``find(_:for:)``.
    package static func installed() throws -> String { try find(nil, for: "an isolated plugin") }

    private static let standardPaths: [String] = {
        let images = [URL(fileURLWithPath: "/proc/self/exe"), URL(fileURLWithPath: HostImage.path)]
        var paths: [String] = []
        for folder in images.map({ $0.resolvingSymlinksInPath().deletingLastPathComponent() }) {
            for place in [folder, folder.deletingLastPathComponent().appending(path: "libexec/descant")] {
                let path = place.appending(path: fileName).path
                if !paths.contains(path) { paths.append(path) }
            }
        }
        return paths
    }()
}
