internal import Foundation
internal import Glibc
internal import Synchronization

/// Loads a checked library.
///
/// Libraries are never unloaded: Swift's type metadata cannot be removed.
enum PluginLoader {
    /// The reason for a failed load.
    struct Failure: Error {
        let error: PluginError
        /// Whether code of the library may have run.
        let ranCode: Bool
    }

    /// Loads a library and creates its plugin.
    ///
    /// - Parameters:
    ///   - path: A library that ``PluginInspection`` has accepted.
    ///   - manifest: The manifest beside it.
    ///   - files: The bundle's files as they were checked.
    ///   - limit: How long another bundle in the linker is waited for, in seconds.
    ///   - progress: Receives the name of the running call.
    ///   - mapped: Called when the library is in memory, before its initialiser.
    /// - Throws: ``Failure``.
    static func load(
        _ path: String, manifest: PluginManifest, files: CheckedFiles, limit: Double, _ progress: PluginLoading,
        mapped: () throws -> Void = {}
    ) throws -> LoadedPlugin {
        var ranCode = false
        do {
            let (embedded, entry) = try LoaderGate.pass(path, limit: limit) {
                try files.requireUnchanged()
                progress.begin("load")
                let handle = try open(path)
                ranCode = true
                try files.requireUnchanged()
                try mapped()
                return (try embeddedManifest(handle, path: path), try symbol("descant_plugin_entry", handle, path))
            }
            try compare(manifest, with: embedded, path: path)
            progress.begin("initialiser")
            return try create(entry, identifier: manifest.id)
        } catch let error as PluginError {
            throw Failure(error: error, ranCode: ranCode)
        }
    }

    /// Reads the manifest that is compiled into a library; runs the library's constructors.
    ///
    /// - Parameters:
    ///   - path: A library that ``PluginInspection`` has accepted.
    ///   - name: What errors call it; `nil` for the path.
    /// - Throws: ``PluginError``.
    static func embeddedManifest(_ path: String, named name: String? = nil) throws -> PluginManifest {
        try embeddedManifest(try open(path, named: name), path: name ?? path)
    }

    /// Binds every symbol at once, so that a missing one is reported before a constructor runs.
    private static func open(_ path: String, named name: String? = nil) throws -> UnsafeMutableRawPointer {
        // The linker's messages are translated in the calling thread's language; they are read here, so take the C one.
        let plain = newlocale(Int32(1) << LC_MESSAGES, "C", nil)
        let previous = uselocale(plain)
        defer {
            uselocale(previous)
            if let plain { freelocale(plain) }
        }
        if let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) { return handle }
        let message = dlerror().map { String(cString: $0) } ?? "no reason given"
        throw refusal(name ?? path, message: message)
    }

    /// The error for a message of the linker.
    static func refusal(_ path: String, message: String) -> PluginError {
        if let match = message.wholeMatch(of: /(.+): cannot open shared object file: No such file or directory/) {
            return .missingDependency(path: path, library: String(match.1))
        }
        if let match = message.firstMatch(of: /undefined symbol: ([^\s,]+)/) {
            return .undefinedSymbol(path: path, symbol: String(match.1))
        }
        if let match = message.firstMatch(of: /([^\s:]+): version [`'"]([^'"]+)['"] not found/) {
            let library = URL(fileURLWithPath: String(match.1)).lastPathComponent
            return .missingDependency(path: path, library: "\(library) in version \(match.2)")
        }
        return .loaderRefused(path: path, message: message)
    }

    private static func embeddedManifest(_ handle: UnsafeMutableRawPointer, path: String) throws -> PluginManifest {
        typealias Function = @convention(c) () -> UnsafePointer<CChar>?
        let function: Function = unsafeBitCast(try symbol("descant_plugin_manifest", handle, path), to: Function.self)
        guard let text = function() else {
            throw PluginError.badManifest(path: path, reason: "descant_plugin_manifest returned nothing")
        }
        return try PluginManifest(json: Data(bytes: text, count: strlen(text)), path: path)
    }

    private static func create(_ entry: UnsafeMutableRawPointer, identifier: String) throws -> LoadedPlugin {
        typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Int32
        let function: Function = unsafeBitCast(entry, to: Function.self)
        let receiver = PluginReceiver()
        _ = withExtendedLifetime(receiver) { function(Unmanaged.passUnretained(receiver).toOpaque()) }
        switch receiver.result {
        case .success(let plugin): return plugin
        case .failure(let error): throw PluginError.initializerThrew(identifier: identifier, message: "\(error)")
        case nil:
            let message = "descant_plugin_entry returned without calling PluginEntry.run"
            throw PluginError.initializerThrew(identifier: identifier, message: message)
        }
    }

    private static func symbol(_ name: String, _ handle: UnsafeMutableRawPointer, _ path: String) throws
        -> UnsafeMutableRawPointer
    {
        guard let symbol = dlsym(handle, name) else { throw PluginError.missingEntry(path: path, symbol: name) }
        return symbol
    }

    /// Throws when `manifest.json`, which the host has trusted so far, differs from the manifest in the library.
    private static func compare(_ beside: PluginManifest, with inside: PluginManifest, path: String) throws {
        let fields: [(String, String, String)] = [
            ("id", beside.id, inside.id), ("name", beside.name, inside.name),
            ("version", beside.version, inside.version), ("license", beside.license, inside.license),
            ("isolation", beside.isolation ?? "none", inside.isolation ?? "none"),
            ("provides", try text(beside.provides), try text(inside.provides)),
        ]
        for (field, beside, inside) in fields where beside != inside {
            throw PluginError.manifestMismatch(path: path, field: field, beside: beside, inside: inside)
        }
    }

    private static func text(_ provisions: [PluginProvision]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(provisions), as: UTF8.self)
    }
}

/// Serialises calls of the dynamic linker over all bundles.
///
/// The linker holds its lock while a library's C constructors run. When one of them hangs, `dlopen`, `dlsym`, `dladdr` and
/// `exit` block in every other thread. This lock refuses a later bundle instead, with the name of the one that hangs.
enum LoaderGate {
    /// The bundle that the linker loads now, if any.
    private static let holder = Mutex<String?>(nil)
    private static let released = EventCount()

    /// Runs a body with exclusive use of the linker.
    ///
    /// - Parameters:
    ///   - path: The library.
    ///   - limit: The maximum wait for another bundle, in seconds.
    /// - Throws: ``PluginError/loaderRefused(path:message:)`` when another bundle hangs in the linker; what the body throws.
    static func pass<Value>(_ path: String, limit: Double, _ body: () throws -> Value) throws -> Value {
        let deadline = EventCount.deadline(in: limit)
        let bundle = (path as NSString).deletingLastPathComponent
        while true {
            let seen = released.raises
            guard let other = enter(bundle) else { break }
            guard released.wait(after: seen, deadline: deadline) else {
                let message =
                    "it has not come back from a constructor of \(other); remove that bundle and start the program again"
                throw PluginError.loaderRefused(path: path, message: message)
            }
        }
        defer {
            holder.withLock { $0 = nil }
            released.raise()
        }
        return try body()
    }

    /// Takes the linker; returns the bundle that uses it, or `nil` when it was free.
    private static func enter(_ bundle: String) -> String? {
        holder.withLock { holder in
            if holder == nil {
                holder = bundle
                return nil
            }
            return holder
        }
    }
}
