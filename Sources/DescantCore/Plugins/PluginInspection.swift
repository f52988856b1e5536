internal import CDescant
internal import Foundation
internal import Glibc

/// The checks of a bundle's files before any of its code runs.
///
/// Here: permissions and owners, SHA-256 of every file and no file besides, a whole ELF library for this machine, the entry
/// points, no copy of the core and no Swift runtime inside, the plugin ABI and Swift release of the entry symbol, the toolchain. What remains, missing
/// libraries and undefined symbols, the dynamic linker finds when ``PluginLoader`` asks it to bind everything
/// at once; it too does so before the first constructor runs.
enum PluginInspection {
    /// The symbols that a plugin must offer.
    static let entryPoints = ["descant_plugin_manifest", "descant_plugin_entry"]

    /// Symbols that only a Swift runtime defines.
    static let runtimeSymbols = [
        "swift_retain", "swift_release", "swift_allocObject", "swift_once", "swift_getTypeByMangledNameInContext",
    ]

    private static let maximumLength = 1 << 30

    /// Checks a bundle.
    ///
    /// - Parameters:
    ///   - bundle: The bundle's folder.
    ///   - manifest: Its manifest.
    /// - Returns: The files, which stay open: the loader checks afterwards that they are unchanged.
    /// - Throws: ``PluginError``; ``CoreError`` when the system lacks something for a moment.
    static func check(bundle: String, manifest: PluginManifest) throws -> CheckedFiles {
        try HostImage.requireSharedCore()
        let library = manifest.library ?? ""
        var digests = manifest.files ?? [:]
        digests[library] = manifest.sha256
        try TrustedPath.checkAncestors(of: bundle)
        try requireListed(Set(digests.keys), in: bundle)
        var files = CheckedFiles()
        for (name, digest) in digests.sorted(by: { $0.key < $1.key }) {
            let (actual, content) = try files.digest(name, in: bundle, limit: maximumLength)
            let path = bundle + "/" + name
            guard actual == digest.lowercased() else {
                throw PluginError.digestMismatch(path: path, expected: digest, actual: actual)
            }
            if name == library {
                try checkLibrary(content, path: path)
            } else if let image = try? ELFImage(content) {
                try checkContents(of: image, path: path)
            }
        }
        return files
    }

    /// Refuses files that the manifest does not list: they are unchecked, and the linker would find them.
    private static func requireListed(_ names: Set<String>, in bundle: String, folder: String = "") throws {
        let present: [String]
        do {
            present = try FileManager.default.contentsOfDirectory(atPath: bundle + "/" + folder)
        } catch {
            if let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError,
                CheckedFiles.momentary.contains(Int32(cause.code))
            {
                throw CoreError.opening(bundle, Int32(cause.code))
            }
            throw PluginError.badManifest(
                path: bundle, reason: "its folder cannot be read: \(error.localizedDescription)")
        }
        let known = names.union(["manifest.json", PluginTrust.signatureFile])
        for name in present.sorted().map({ folder + $0 }) where !known.contains(name) {
            guard names.contains(where: { $0.hasPrefix(name + "/") }) else {
                throw PluginError.unlistedFile(path: bundle + "/" + name)
            }
            try TrustedPath.checkFolder(bundle + "/" + name, isContainer: false)
            try requireListed(names, in: bundle, folder: name + "/")
        }
    }

    /// No copy of the core, and no Swift runtime: either would be a second world of types beside the host's.
    private static func checkContents(of image: ELFImage, path: String) throws {
        if let symbol = image.ownCoreSymbol { throw PluginError.embedsCore(path: path, symbol: symbol) }
        if let symbol = runtimeSymbols.first(where: image.defined.contains) {
            throw PluginError.embedsRuntime(path: path, evidence: "it defines \(symbol)")
        }
    }

    /// Checks a library that lies in no bundle yet.
    ///
    /// - Parameter path: The library.
    /// - Throws: ``PluginError``.
    static func check(library path: String) throws {
        try HostImage.requireSharedCore()
        try checkLibrary(try CheckedFiles.read(path, limit: maximumLength), path: path)
    }

    private static func checkLibrary(_ data: Data, path: String) throws {
        let image: ELFImage
        do {
            image = try ELFImage(data)
        } catch let problem as ELFImage.Problem {
            throw PluginError.badLibrary(path: path, reason: problem.description)
        }
        try checkContents(of: image, path: path)
        for symbol in entryPoints where !image.defined.contains(symbol) {
            throw PluginError.missingEntry(path: path, symbol: symbol)
        }
        guard let plugin = image.undefined.lazy.compactMap(PluginCompatibility.init(symbol:)).first else {
            throw PluginError.missingEntry(path: path, symbol: "\(PluginEntry.self)")
        }
        guard plugin == PluginEntry.compatibility else {
            throw PluginError.incompatible(path: path, plugin: "\(plugin)", host: "\(PluginEntry.compatibility)")
        }
        guard image.needed.contains("libswiftCore.so") else {
            throw PluginError.embedsRuntime(path: path, evidence: "it does not use the host's libswiftCore.so")
        }
        if let theirs = image.toolchain, let ours = HostImage.toolchain, theirs != ours {
            throw PluginError.incompatible(path: path, plugin: theirs, host: ours)
        }
    }
}

extension ELFImage {
    /// A symbol that shows a copy of the core inside the library: the descriptor of one of the core's protocols.
    var ownCoreSymbol: String? { defined.first(where: Self.isCoreProtocol) }

    /// Whether a symbol is the descriptor of a protocol of the core.
    ///
    /// The descriptors of protocols that a plugin puts into types of the core, by extensions, begin and end the same way:
    /// "$s11DescantCore9TagBundleV8MyPluginE4RuleMp". Those of the core's own have one identifier in between.
    static func isCoreProtocol(_ symbol: String) -> Bool {
        let module = "$s11DescantCore"
        guard symbol.hasPrefix(module), symbol.hasSuffix("Mp") else { return false }
        let name = Array(symbol.utf8.dropFirst(module.utf8.count).dropLast(2))
        return partBehindIdentifier(name[...])?.isEmpty == true
    }

    /// What stands behind the identifier at the beginning of a mangled name; `nil` when none stands there.
    ///
    /// An identifier is a length and a text, such as "11DecoderPort". One that begins with a zero is made of such parts and of
    /// letters, which stand for words that appeared before: "0A6Plugin". A letter in upper case is the last one; one part, or
    /// a zero in its place, follows it.
    private static func partBehindIdentifier(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let zero = UInt8(ascii: "0")
        let lower = UInt8(ascii: "a")...UInt8(ascii: "z"), upper = UInt8(ascii: "A")...UInt8(ascii: "Z")
        var rest = name
        var hasWords = rest.first == zero
        if hasWords { rest.removeFirst() }
        repeat {
            while hasWords, let letter = rest.first, lower.contains(letter) || upper.contains(letter) {
                rest.removeFirst()
                hasWords = lower.contains(letter)
            }
            if rest.first == zero { return rest.dropFirst() }
            let digits = rest.prefix { (zero...UInt8(ascii: "9")).contains($0) }
            guard let length = Int(String(decoding: digits, as: UTF8.self)), length <= rest.count - digits.count else {
                return nil
            }
            rest = rest.dropFirst(digits.count + length)
        } while hasWords
        return rest
    }
}

/// The image that holds the core in this process.
enum HostImage {
    /// Its path.
    static let path = descant_image_containing(descant_core_anchor()).map { String(cString: $0) } ?? ""

    /// The toolchain that built it; `nil` when that was stripped or cannot be read. Only the sections are read: the file has
    /// tens of megabytes.
    static let toolchain = (try? ELFFile(path: path)).flatMap { try? ELFSections.toolchain(of: $0) }

    /// Makes sure that plugins can share the core with this process.
    ///
    /// - Throws: ``PluginError/hostLinksCoreStatically(program:)``.
    static func requireSharedCore() throws {
        guard URL(fileURLWithPath: path).lastPathComponent.hasPrefix("libDescant.so") else {
            throw PluginError.hostLinksCoreStatically(program: path)
        }
    }
}
