/// Why a bundle cannot be used.
///
/// Every case names the bundle or library, the cause and the remedy.
public enum PluginError: Error, Sendable, Equatable {
    /// The host carries its own copy of the core instead of linking the dynamic product.
    case hostLinksCoreStatically(program: String)
    /// The file, its folder or its owner would let somebody else change the code.
    case unsafePermissions(path: String, reason: String)
    /// The manifest is missing, unreadable or inconsistent.
    case badManifest(path: String, reason: String)
    /// The library is not a usable shared object: not ELF, truncated, for another machine.
    case badLibrary(path: String, reason: String)
    /// The library's SHA-256 differs from the manifest's.
    case digestMismatch(path: String, expected: String, actual: String)
    /// The library lacks a Descant entry point.
    case missingEntry(path: String, symbol: String)
    /// The library brings its own copy of the core.
    case embedsCore(path: String, symbol: String)
    /// The library was built for another plugin ABI or Swift release.
    case incompatible(path: String, plugin: String, host: String)
    /// A library that the plugin needs is not installed.
    case missingDependency(path: String, library: String)
    /// A symbol that the plugin needs is defined nowhere.
    case undefinedSymbol(path: String, symbol: String)
    /// The dynamic linker refused for another reason.
    case loaderRefused(path: String, message: String)
    /// The manifest beside the library and the one inside it disagree.
    case manifestMismatch(path: String, field: String, beside: String, inside: String)
    /// Another bundle with this identifier was found first.
    case duplicateIdentifier(identifier: String, first: String, second: String)
    /// The plugin's initialiser threw.
    case initializerThrew(identifier: String, message: String)
    /// The bundle asks for something that this host does not offer.
    case unsupportedRequirement(path: String, requirement: String)
    /// No usable plugin provides the identifier.
    case notProvided(kind: String, identifier: String)
}
