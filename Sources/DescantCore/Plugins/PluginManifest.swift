public import Foundation

/// The description of a bundle, readable without running its code.
///
/// A plugin's author declares the first group of properties in code (``DescantPlugin/manifest``); the bundle writer
/// adds the second group and writes everything as `manifest.json` beside the library.
public struct PluginManifest: Sendable, Hashable, Codable {
    /// Reverse-DNS identity, such as `org.example.shorten`.
    ///
    /// Two bundles with the same one are never loaded together.
    public var id: String
    /// A name for people.
    public var name: String
    /// The plugin's own version, such as `1.2.0`.
    public var version: String
    /// The licence of everything in the bundle, and of the libraries that it loads, as an SPDX expression, such as `Apache-2.0`.
    public var license: String
    /// The provisions; at least one.
    public var provides: [PluginProvision]
    /// `process` when the plugin must not run inside the host's process; `nil` when it may.
    public var isolation: String?

    /// The plugin ABI that the library was built for.
    ///
    /// Written by the bundle writer.
    public var abi: Int?
    /// The Swift release that the library was built with, such as `6.3`.
    ///
    /// Written by the bundle writer.
    public var swiftVersion: String?
    /// The library's file name inside the bundle.
    ///
    /// Written by the bundle writer.
    public var library: String?
    /// The library's SHA-256 in lower-case hexadecimal.
    ///
    /// Written by the bundle writer.
    public var sha256: String?
    /// The SHA-256 of every other file in the bundle, by its path inside the bundle.
    ///
    /// Written by the bundle writer.
    public var files: [String: String]?

    /// Creates the part of a manifest that an author writes.
    ///
    /// - Parameters:
    ///   - id: Reverse-DNS identity.
    ///   - name: A name for people.
    ///   - version: The plugin's own version.
    ///   - license: An SPDX expression.
    ///   - provides: The provisions.
    ///   - isolation: `process` when the plugin must not run inside the host's process.
    public init(
        id: String, name: String, version: String, license: String, provides: [PluginProvision],
        isolation: String? = nil
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.license = license
        self.provides = provides
        self.isolation = isolation
    }
}

/// The text form.
extension PluginManifest {
    /// Pretty-printed JSON with sorted keys, as in `manifest.json`.
    ///
    /// - Throws: `EncodingError`; only for text that is not valid Unicode.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// Reads JSON and checks every field that an author writes, and that no text has a control character or a line break.
    ///
    /// - Parameters:
    ///   - json: The text of a manifest.
    ///   - path: What errors call it.
    /// - Throws: ``PluginError/badManifest(path:reason:)``.
    public init(json: Data, path: String) throws {
        do {
            self = try JSONDecoder().decode(PluginManifest.self, from: json)
        } catch let error as DecodingError {
            throw PluginError.badManifest(path: path, reason: error.summary.clippedForMessage)
        }
        if let problem { throw PluginError.badManifest(path: path, reason: problem) }
    }
}

/// Consistency.
extension PluginManifest {
    /// The first invalid field; `nil` for a valid manifest. The fields that the bundle writer adds may be missing.
    package var problem: String? {
        let labels = id.split(separator: ".", omittingEmptySubsequences: false)
        let isName = { (label: Substring) in !label.isEmpty && label.utf8.allSatisfy(\.isASCIIAlphanumericOrHyphen) }
        guard labels.count >= 2, labels.allSatisfy(isName), id.utf8.count <= 255 else {
            return "'id' is \"\(id.clippedForMessage)\"; a reverse-DNS name such as org.example.shorten is needed"
        }
        for (key, value) in [("name", name), ("version", version), ("license", license)] {
            guard !value.isEmpty, value.utf8.count <= 255 else { return "'\(key)' is empty or longer than 255 bytes" }
        }
        if let key = keyWithControlCharacter { return "'\(key)' has a control character or a line break" }
        guard !provides.isEmpty else { return "'provides' is empty; a plugin needs at least one provision" }
        for (index, provision) in provides.enumerated() {
            if let problem = provision.problem { return problem }
            let isRepeated = provides[..<index].contains {
                $0.kind == provision.kind && $0.identifier == provision.identifier
            }
            guard !isRepeated else {
                return "'provides' has \(provision.kind.rawValue) \"\(provision.identifier)\" twice"
            }
        }
        return nil
    }

    /// The first key, those of the provisions excepted, whose text has a control character or a line break.
    private var keyWithControlCharacter: String? {
        let texts: [(key: String, text: String?)] = [
            ("name", name), ("version", version), ("license", license), ("isolation", isolation),
            ("swiftVersion", swiftVersion), ("library", library), ("sha256", sha256),
        ]
        if let found = texts.first(where: { $0.text?.hasControlCharacter == true }) { return found.key }
        let isUnsafe = files?.contains { $0.key.hasControlCharacter || $0.value.hasControlCharacter } == true
        return isUnsafe ? "files" : nil
    }
}

extension String {
    /// Whether the text has a character that a terminal would obey, or that breaks a line.
    var hasControlCharacter: Bool { unicodeScalars.contains(where: \.isControl) }

    /// The first 200 code points, with control characters as escapes such as `\u{1B}`.
    ///
    /// For what a message quotes from a file that was not accepted: messages go to terminals and logs.
    var clippedForMessage: String {
        let limit = 200
        var text = ""
        for scalar in unicodeScalars.prefix(limit) {
            if scalar.isControl {
                text += scalar.escaped(asASCII: true)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return unicodeScalars.dropFirst(limit).isEmpty ? text : text + "…"
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character (general category Cc) or separates lines or paragraphs (Zl, Zp).
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII letter, digit or hyphen.
    fileprivate var isASCIIAlphanumericOrHyphen: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension DecodingError {
    /// One sentence: which key, and what is wrong with it.
    var summary: String {
        func place(_ context: Context, _ last: [any CodingKey] = []) -> String {
            let keys = (context.codingPath + last).map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
            return keys.isEmpty ? "the manifest" : "'\(keys.joined(separator: "."))'"
        }
        switch self {
        case .keyNotFound(let key, let context): return "\(place(context, [key])) is missing"
        case .valueNotFound(_, let context): return "\(place(context)) is null"
        case .typeMismatch(let type, let context): return "\(place(context)) is not of type \(type)"
        case .dataCorrupted(let context): return "\(place(context)): \(context.debugDescription)"
        @unknown default: return "\(self)"
        }
    }
}
