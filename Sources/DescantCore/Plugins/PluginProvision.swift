/// One thing that a plugin can make.
public struct PluginProvision: Sendable, Hashable, Codable {
    /// Which protocol it conforms to.
    public var kind: PluginKind
    /// The name that hosts ask for; unique within the kind and the bundle.
    public var identifier: String
    /// Free words that a person sees in a listing, such as `seeks`.
    public var capabilities: [String]
    /// The files that a decoder, tag reader or tag writer is for.
    public var fileTypes: [PluginFileType]
    /// BCP 47 language tags of a synthesizer.
    public var languages: [String]
    /// URL schemes other than `file` that an engine or decoder takes, in lower case.
    public var schemes: [String]

    /// Creates a declaration.
    ///
    /// - Parameters:
    ///   - kind: Which protocol it conforms to.
    ///   - identifier: The name that hosts ask for.
    ///   - capabilities: Free words for listings.
    ///   - fileTypes: The files it is for.
    ///   - languages: BCP 47 language tags.
    ///   - schemes: URL schemes other than `file`.
    public init(
        kind: PluginKind, identifier: String, capabilities: [String] = [], fileTypes: [PluginFileType] = [],
        languages: [String] = [], schemes: [String] = []
    ) {
        self.kind = kind
        self.identifier = identifier
        self.capabilities = capabilities
        self.fileTypes = fileTypes
        self.languages = languages
        self.schemes = schemes
    }

    /// Reads a declaration; everything but kind and identifier may be left out.
    ///
    /// - Parameter decoder: Where to read from.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            kind: try container.decode(PluginKind.self, forKey: .kind),
            identifier: try container.decode(String.self, forKey: .identifier),
            capabilities: try container.decodeIfPresent([String].self, forKey: .capabilities) ?? [],
            fileTypes: try container.decodeIfPresent([PluginFileType].self, forKey: .fileTypes) ?? [],
            languages: try container.decodeIfPresent([String].self, forKey: .languages) ?? [],
            schemes: try container.decodeIfPresent([String].self, forKey: .schemes) ?? [])
    }

    /// What is wrong with the declaration; `nil` when nothing is.
    var problem: String? {
        guard !identifier.isEmpty, identifier.utf8.count <= 255 else {
            return "a provision of kind \(kind.rawValue) has an identifier that is empty or longer than 255 bytes"
        }
        for fileType in fileTypes {
            if let problem = fileType.problem { return "\(kind.rawValue) \"\(identifier)\": \(problem)" }
        }
        return nil
    }
}
