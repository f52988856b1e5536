internal import CDescant
internal import Foundation
internal import Glibc

/// Every check of a bundle's files that needs none of its code to run.
///
/// Here: permissions and owners, SHA-256 of every file, a whole ELF library for this machine, the entry points, no
/// copy of the core inside, the plugin ABI and Swift release of the entry symbol, the toolchain. What remains, missing
/// libraries and undefined symbols, the dynamic linker finds when ``PluginLoader`` asks it to bind everything
/// at once; it too does so before the first constructor runs.
enum PluginInspection {
    /// The symbols that a plugin must offer.
    static let entryPoints = ["descant_plugin_manifest", "descant_plugin_entry"]

    private static let greatestLength = 1 << 30

    /// Checks a bundle.
    ///
    /// - Parameters:
    ///   - bundle: The bundle's folder.
    ///   - manifest: Its manifest.
    /// - Throws: ``PluginError``.
    static func check(bundle: String, manifest: PluginManifest) throws {
        try HostImage.requireSharedCore()
        let library = manifest.library ?? ""
        var digests = manifest.files ?? [:]
        digests[library] = manifest.sha256
        for (name, digest) in digests.sorted(by: { $0.key < $1.key }) {
            let data = try readTrusted(name, in: bundle)
            let path = bundle + "/" + name
            let actual = SHA256.hexadecimal(data)
            guard actual == digest.lowercased() else {
                throw PluginError.digestMismatch(path: path, expected: digest, actual: actual)
            }
            if name == library {
                try checkLibrary(data, path: path)
            } else if name.contains(".so"), let core = try? ELFImage(data).ownCoreSymbol {
                throw PluginError.embedsCore(path: path, symbol: core)
            }
        }
    }

    /// Checks a library that lies in no bundle yet.
    ///
    /// - Parameter path: The library.
    /// - Throws: ``PluginError``.
    static func check(library path: String) throws {
        try HostImage.requireSharedCore()
        try checkLibrary(try TrustedPath.read(path, limit: greatestLength), path: path)
    }

    private static func readTrusted(_ name: String, in bundle: String) throws -> Data {
        var folder = bundle
        for part in name.split(separator: "/").dropLast() {
            folder += "/" + part
            try TrustedPath.checkFolder(folder, isContainer: false)
        }
        try TrustedPath.checkFile(bundle + "/" + name)
        return try TrustedPath.read(bundle + "/" + name, limit: greatestLength)
    }

    private static func checkLibrary(_ data: Data, path: String) throws {
        let image: ELFImage
        do {
            image = try ELFImage(data)
        } catch let problem as ELFImage.Problem {
            throw PluginError.badLibrary(path: path, reason: problem.description)
        }
        if let symbol = image.ownCoreSymbol { throw PluginError.embedsCore(path: path, symbol: symbol) }
        for symbol in entryPoints where !image.defined.contains(symbol) {
            throw PluginError.missingEntry(path: path, symbol: symbol)
        }
        guard let plugin = image.undefined.lazy.compactMap(PluginCompatibility.init(symbol:)).first else {
            throw PluginError.missingEntry(path: path, symbol: "\(PluginEntry.self)")
        }
        guard plugin == PluginEntry.compatibility else {
            throw PluginError.incompatible(path: path, plugin: "\(plugin)", host: "\(PluginEntry.compatibility)")
        }
        if let theirs = image.toolchain, let ours = HostImage.toolchain, theirs != ours {
            throw PluginError.incompatible(path: path, plugin: theirs, host: ours)
        }
    }
}

extension ELFImage {
    /// A symbol that shows a copy of the core inside the library: the descriptor of one of the core's protocols.
    var ownCoreSymbol: String? { defined.first { $0.hasPrefix("$s11DescantCore") && $0.hasSuffix("Mp") } }
}

/// The image that holds the core in this process.
enum HostImage {
    /// Its path.
    static let path = descant_image_containing(descant_core_anchor()).map { String(cString: $0) } ?? ""

    /// The toolchain that built it; `nil` when that was stripped or cannot be read.
    static let toolchain: String? = {
        let url = URL(fileURLWithPath: path)
        let data = try? Data(contentsOf: url, options: .mappedIfSafe)
        return data.flatMap { try? ELFImage($0, readsSymbols: false) }?.toolchain
    }()

    /// Makes sure that plugins can share the core with this process.
    ///
    /// - Throws: ``PluginError/hostLinksCoreStatically(program:)``.
    static func requireSharedCore() throws {
        guard URL(fileURLWithPath: path).lastPathComponent.hasPrefix("libDescant.so") else {
            throw PluginError.hostLinksCoreStatically(program: path)
        }
    }
}
