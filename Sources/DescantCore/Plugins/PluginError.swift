/// The reasons for which a bundle is unusable.
///
/// Every case names the bundle or library, the cause and the remedy.
public enum PluginError: Error, Sendable, Equatable {
    /// The host carries its own copy of the core instead of linking the dynamic product.
    case hostLinksCoreStatically(program: String)
    /// The permissions or the owner of the file or its folder let another user change the code.
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
    /// The host's ``LicensePolicy`` does not take the bundle's licence.
    case licenseRefused(path: String, license: String, objection: String)
    /// A call into the plugin has exceeded its limit in ``CallLimits`` and still runs.
    case overdue(identifier: String, operation: String, seconds: Double)
    /// The bundle holds a file that its manifest does not list.
    case unlistedFile(path: String)
    /// The library brings a second Swift runtime.
    case embedsRuntime(path: String, evidence: String)
}

extension PluginError: CustomStringConvertible {
    /// The bundle, the cause and the remedy.
    public var description: String { "\(subject): \(cause); \(remedy)" }

    /// The bundle, library or identifier at fault.
    public var subject: String {
        switch self {
        case .hostLinksCoreStatically(let program): program
        case .unsafePermissions(let path, _), .badManifest(let path, _), .badLibrary(let path, _),
            .digestMismatch(let path, _, _), .missingEntry(let path, _), .embedsCore(let path, _),
            .incompatible(let path, _, _), .missingDependency(let path, _), .undefinedSymbol(let path, _),
            .loaderRefused(let path, _), .manifestMismatch(let path, _, _, _), .unsupportedRequirement(let path, _),
            .licenseRefused(let path, _, _), .unlistedFile(let path), .embedsRuntime(let path, _):
            path
        case .duplicateIdentifier(_, _, let second): second
        case .initializerThrew(let identifier, _), .overdue(let identifier, _, _): identifier
        case .notProvided(let kind, let identifier): "\(kind) '\(identifier)'"
        }
    }

    /// The cause.
    public var cause: String {
        switch self {
        case .hostLinksCoreStatically: "this program carries its own copy of Descant, so plugins cannot work with it"
        case .unsafePermissions(_, let reason): reason
        case .badManifest(_, let reason): "the manifest is unusable: \(reason)"
        case .badLibrary(_, let reason): "the library is unusable: \(reason)"
        case .digestMismatch(_, let expected, let actual):
            "the file is not the one that the manifest describes (SHA-256 \(actual), expected \(expected))"
        case .missingEntry(_, let symbol): "it has no \(symbol), so it is not a Descant plugin"
        case .embedsCore(_, let symbol): "it contains its own copy of Descant (it defines \(symbol))"
        case .incompatible(_, let plugin, let host): "it was built for \(plugin), this host has \(host)"
        case .missingDependency(_, let library): "it needs \(library), which was not found"
        case .undefinedSymbol(_, let symbol): "it needs the symbol \(symbol), which is defined nowhere"
        case .loaderRefused(_, let message): "the dynamic linker refused it: \(message)"
        case .manifestMismatch(_, let field, let beside, let inside):
            "manifest.json says \(field) \(beside), the library says \(inside)"
        case .duplicateIdentifier(let identifier, let first, _):
            "its identifier \(identifier) is taken by \(first), which was found first"
        case .initializerThrew(_, let message): "the plugin does not work here: \(message)"
        case .unsupportedRequirement(_, let requirement):
            "it requires '\(requirement)', which this host does not offer"
        case .licenseRefused(_, let license, let objection):
            "this host does not take its licence, \(license): \(objection)"
        case .notProvided: "no usable plugin provides it"
        case .overdue(_, let operation, let seconds):
            "its \(operation) did not come back within \(seconds) s, so the plugin is not used again"
        case .unlistedFile: "the manifest of its bundle does not list it"
        case .embedsRuntime(_, let evidence): "it contains a Swift runtime of its own (\(evidence))"
        }
    }

    /// The remedy.
    public var remedy: String {
        switch self {
        case .hostLinksCoreStatically:
            "link the dynamic product 'Descant' from a package of its own"
        case .unsafePermissions: "make it yours or root's and take the right away with 'chmod o-w'"
        case .badManifest: "install the bundle again, or rebuild it with 'descant plugin bundle'"
        case .badLibrary, .digestMismatch: "install the bundle again"
        case .missingEntry: "define the two entry points as the documentation of PluginEntry shows"
        case .embedsCore: "build it in a package of its own that depends on the product 'Descant'"
        case .incompatible: "build the plugin again with the host's Swift and Descant"
        case .missingDependency: "install the package that contains it"
        case .undefinedSymbol: "build the plugin again against the libraries installed here"
        case .loaderRefused: "look at the library with 'ldd -r'"
        case .manifestMismatch: "rebuild the bundle with 'descant plugin bundle'"
        case .duplicateIdentifier: "remove one of the two"
        case .initializerThrew: "do what the plugin says, then start the program again"
        case .unsupportedRequirement: "use a host that offers it"
        case .licenseRefused:
            "permit it in the host's LicensePolicy, of which DESCANT_FORBIDDEN_LICENSES is the standard one, or remove the bundle"
        case .overdue: "start the program again; if it happens again, remove the bundle and tell its author"
        case .unlistedFile:
            "remove the file, or rebuild the bundle with 'descant plugin bundle --file' for each file beside the library"
        case .embedsRuntime: "build it without -static-stdlib"
        case .notProvided: "'descant plugins' lists what there is and what was refused"
        }
    }
}
