/// The kinds of thing that a plugin can provide.
public enum PluginKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// A ``MediaEngine``.
    case engine
    /// A ``DecoderPort``.
    case decoder
    /// A ``SpeechSynthesizer``.
    case speech
    /// A ``TagReaderPort``.
    case tagReader
    /// A ``TagWriterPort``.
    case tagWriter
    /// An ``AudioOutputPort``.
    case output
    /// An ``AudioEffect``.
    case effect

    /// How much the protocol of the kind may still change.
    public var stage: PluginStage {
        switch self {
        case .engine, .decoder, .speech, .tagReader, .tagWriter, .output: .stable
        case .effect: .draft
        }
    }
}

/// How much the protocol of a kind of plugin may still change.
///
/// A change of either stage raises the plugin ABI number, so that a host refuses bundles of before rather than misreads them.
public enum PluginStage: String, Sendable, Hashable, Codable, CaseIterable {
    /// The protocol is new: any release may change it so that plugins have to be edited.
    case draft
    /// The protocol only grows: the source of a plugin compiles with every later release of the same major version, because what
    /// is added has a default.
    case stable
}

/// One thing that a plugin or a host provides: its description, and the closure that makes it.
///
/// A function for each kind creates one, such as `.decoder("hum", extensions: ["hum"]) { HumDecoder() }`. A provision that is
/// read from `manifest.json` has no closure. Two provisions are equal when their descriptions are.
public struct PluginProvision: Sendable, Hashable, Codable {
    /// The kind, which names the protocol that the made object conforms to.
    public let kind: PluginKind
    /// The name that hosts ask for; unique within the kind and the bundle.
    public var identifier: String
    /// Free words that a person sees in a listing, such as `seeks`.
    public var capabilities: [String]
    /// The files that a decoder, tag reader or tag writer accepts.
    public var fileTypes: [PluginFileType]
    /// The BCP 47 language tags of a synthesizer.
    public var languages: [String]
    /// The URL schemes other than `file` that an engine or decoder accepts, in lower case.
    public var schemes: [String]

    let factory: Factory

    /// The closure that makes the object; empty for a provision that was read from `manifest.json`.
    struct Factory: Sendable, Hashable {
        var engine: Maker<any MediaEngine>?
        var decoder: Maker<any DecoderPort>?
        var speech: Maker<any SpeechSynthesizer>?
        var tagReader: Maker<any TagReaderPort>?
        var tagWriter: Maker<any TagWriterPort>?
        var output: Maker<any AudioOutputPort>?
        var effect: Maker<any AudioEffect>?

        static func == (left: Factory, right: Factory) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    typealias Maker<Made> = @Sendable (PluginContext) throws -> Made

    private enum CodingKeys: CodingKey {
        case kind, identifier, capabilities, fileTypes, languages, schemes
    }

    init(
        kind: PluginKind, identifier: String, capabilities: [String] = [], fileTypes: [PluginFileType] = [],
        languages: [String] = [], schemes: [String] = [], factory: Factory = Factory()
    ) {
        self.kind = kind
        self.identifier = identifier
        self.capabilities = capabilities
        self.fileTypes = fileTypes
        self.languages = languages
        self.schemes = schemes
        self.factory = factory
    }

    /// Reads a description; every key but `kind` and `identifier` may be missing.
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

    /// What is wrong with the description; `nil` for a valid one.
    var problem: String? {
        guard !identifier.isEmpty, identifier.utf8.count <= 255 else {
            return "a provision of kind \(kind.rawValue) has an identifier that is empty or longer than 255 bytes"
        }
        let types = fileTypes.flatMap { $0.extensions + $0.mimeTypes }
        let texts = [[identifier], capabilities, languages, schemes, types].joined()
        guard !texts.contains(where: \.hasControlCharacter) else {
            return "a provision of kind \(kind.rawValue) has a text with a control character or a line break"
        }
        for fileType in fileTypes {
            if let problem = fileType.problem { return "\(kind.rawValue) \"\(identifier)\": \(problem)" }
        }
        return nil
    }
}

/// One function for each kind. The closure is called on any thread, possibly several times, and makes a new object at each call.
///
/// A closure with a parameter receives what the host lends to the plugin.
extension PluginProvision {
    /// Provides an engine.
    ///
    /// - Parameters:
    ///   - identifier: The name that hosts ask for.
    ///   - schemes: URL schemes other than `file`, in lower case.
    ///   - capabilities: Free words for listings.
    ///   - make: Makes an engine with what the host lends.
    public static func engine(
        _ identifier: String, schemes: [String] = [], capabilities: [String] = [],
        make: @escaping @Sendable (PluginContext) throws -> any MediaEngine
    ) -> PluginProvision {
        PluginProvision(
            kind: .engine, identifier: identifier, capabilities: capabilities, schemes: schemes,
            factory: Factory(engine: make))
    }

    /// Provides an engine that needs nothing from the host.
    ///
    /// - Parameters:
    ///   - identifier: The name that hosts ask for.
    ///   - schemes: URL schemes other than `file`, in lower case.
    ///   - capabilities: Free words for listings.
    ///   - make: Makes an engine.
    public static func engine(
        _ identifier: String, schemes: [String] = [], capabilities: [String] = [],
        make: @escaping @Sendable () throws -> any MediaEngine
    ) -> PluginProvision {
        engine(identifier, schemes: schemes, capabilities: capabilities) { _ in try make() }
    }

    /// Provides a decoder.
    ///
    /// - Parameters:
    ///   - identifier: The name that hosts ask for.
    ///   - extensions: File extensions in lower case, without the dot; `*` alone stands for every file.
    ///   - mimeTypes: MIME types in lower case.
    ///   - signatures: Bytes that show the format.
    ///   - priority: Decides between equal scores; the highest wins.
    ///   - schemes: URL schemes other than `file`, in lower case.
    ///   - capabilities: Free words for listings.
    ///   - make: Makes a decoder with what the host lends.
    public static func decoder(
        _ identifier: String, extensions: [String] = [], mimeTypes: [String] = [], signatures: [FileSignature] = [],
        priority: Int = 0, schemes: [String] = [], capabilities: [String] = [],
        make: @escaping @Sendable (PluginContext) throws -> any DecoderPort
    ) -> PluginProvision {
        PluginProvision(
            kind: .decoder, identifier: identifier, capabilities: capabilities,
            fileTypes: PluginFileType.list(extensions, mimeTypes, signatures, priority), schemes: schemes,
            factory: Factory(decoder: make))
    }

    /// Provides a decoder that needs nothing from the host.
    ///
    /// - Parameters:
    ///   - identifier: The name that hosts ask for.
    ///   - extensions: File extensions in lower case, without the dot; `*` alone stands for every file.
    ///   - mimeTypes: MIME types in lower case.
    ///   - signatures: Bytes that show the format.
    ///   - priority: Decides between equal scores; the highest wins.
    ///   - schemes: URL schemes other than `file`, in lower case.
    ///   - capabilities: Free words for listings.
    ///   - make: Makes a decoder.
    public static func decoder(
        _ identifier: String, extensions: [String] = [], mimeTypes: [String] = [], signatures: [FileSignature] = [],
        priority: Int = 0, schemes: [String] = [], capabilities: [String] = [],
        make: @escaping @Sendable () throws -> any DecoderPort
    ) -> PluginProvision {
        decoder(
            identifier, extensions: extensions, mimeTypes: mimeTypes, signatures: signatures, priority: priority,
            schemes: schemes, capabilities: capabilities
        ) { _ in try make() }
    }

    /// Provides a speech synthesizer.
    ///
    /// - Parameters:
    ///   - identifier: The name that hosts ask for.
    ///   - languages: BCP 47 language tags.
    ///   - capabilities: Free words for listings.
    ///   - make: Makes a speech synthesizer with what the host lends.
    public static func speechSynthesizer(
        _ identifier: String, languages: [String] = [], capabilities: [String] = [],
        make: @escaping @Sendable (PluginContext) throws -> any SpeechSynthesizer
    ) -> PluginProvision {
        PluginProvision(
            kind: .speech, identifier: identifier, capabilities: capabilities, languages: languages,
            factory: Factory(speech: make))
    }

    /// Provides a speech synthesizer that needs nothing from the host.
    ///
    /// - Parameters:
    ///   - identifier: The name that hosts ask for.
    ///   - languages: BCP 47 language tags.
    ///   - capabilities: Free words for listings.
    ///   - make: Makes a speech synthesizer.
    public static func speechSynthesizer(
        _ identifier: String, languages: [String] = [], capabilities: [String] = [],
        make: @escaping @Sendable () throws -> any SpeechSynthesizer
    ) -> PluginProvision {
        speechSynthesizer(identifier, languages: languages, capabilities: capabilities) { _ in try make() }
    }

    /// Provides a tag reader.
    ///
    /// - Parameters:
    ///   - identifier: The name that hosts ask for.
    ///   - extensions: File extensions in lower case, without the dot; `*` alone stands for every file.
    ///   - mimeTypes: MIME types in lower case.
    ///   - signatures: Bytes that show the format.
    ///   - priority: Decides between equal scores; the highest wins.
    ///   - capabilities: Free words for listings.
    ///   - make: Makes a tag reader with what the host lends.
    public static func tagReader(
        _ identifier: String, extensions: [String] = [], mimeTypes: [String] = [], signatures: [FileSignature] = [],
        priority: Int = 0, capabilities: [String] = [],
        make: @escaping @Sendable (PluginContext) throws -> any TagReaderPort
    ) -> PluginProvision {
        PluginProvision(
            kind: .tagReader, identifier: identifier, capabilities: capabilities,
            fileTypes: PluginFileType.list(extensions, mimeTypes, signatures, priority),
            factory: Factory(tagReader: make))
    }

    /// Provides a tag reader that needs nothing from the host.
    ///
    /// - Parameters:
    ///   - identifier: The name that hosts ask for.
    ///   - extensions: File extensions in lower case, without the dot; `*` alone stands for every file.
    ///   - mimeTypes: MIME types in lower case.
    ///   - signatures: Bytes that show the format.
    ///   - priority: Decides between equal scores; the highest wins.
    ///   - capabilities: Free words for listings.
    ///   - make: Makes a tag reader.
    public static func tagReader(
        _ identifier: String, extensions: [String] = [], mimeTypes: [String] = [], signatures: [FileSignature] = [],
        priority: Int = 0, capabilities: [String] = [], make: @escaping @Sendable () throws -> any TagReaderPort
    ) -> PluginProvision {
        tagReader(
            identifier, extensions: extensions, mimeTypes: mimeTypes, signatures: signatures, priority: priority,
            capabilities: capabilities
        ) { _ in try make() }
    }

    /// Provides a tag writer.
    ///
    /// - Parameters:
    ///   - identifier: The name that hosts ask for.
    ///   - extensions: File extensions in lower case, without the dot; `*` alone stands for every file.
    ///   - mimeTypes: MIME types in lower case.
    ///   - signatures: Bytes that show the format.
    ///   - priority: Decides between equal scores; the highest wins.
    ///   - capabilities: Free words for listings.
    ///   - make: Makes a tag writer with what the host lends.
    public static func tagWriter(
        _ identifier: String, extensions: [String] = [], mimeTypes: [String] = [], signatures: [FileSignature] = [],
        priority: Int = 0, capabilities: [String] = [],
        make: @escaping @Sendable (PluginContext) throws -> any TagWriterPort
    ) -> PluginProvision {
        PluginProvision(
            kind: .tagWriter, identifier: identifier, capabilities: capabilities,
            fileTypes: PluginFileType.list(extensions, mimeTypes, signatures, priority),
            factory: Factory(tagWriter: make))
    }

    /// Provides a tag writer that needs nothing from the host.
    ///
    /// - Parameters:
    ///   - identifier: The name that hosts ask for.
    ///   - extensions: File extensions in lower case, without the dot; `*` alone stands for every file.
    ///   - mimeTypes: MIME types in lower case.
    ///   - signatures: Bytes that show the format.
    ///   - priority: Decides between equal scores; the highest wins.
    ///   - capabilities: Free words for listings.
    ///   - make: Makes a tag writer.
    public static func tagWriter(
        _ identifier: String, extensions: [String] = [], mimeTypes: [String] = [], signatures: [FileSignature] = [],
        priority: Int = 0, capabilities: [String] = [], make: @escaping @Sendable () throws -> any TagWriterPort
    ) -> PluginProvision {
        tagWriter(
            identifier, extensions: extensions, mimeTypes: mimeTypes, signatures: signatures, priority: priority,
            capabilities: capabilities
        ) { _ in try make() }
    }

    /// Provides an output.
    ///
    /// - Parameters:
    ///   - identifier: The name that hosts ask for.
    ///   - capabilities: Free words for listings.
    ///   - make: Makes an output with what the host lends.
    public static func output(
        _ identifier: String, capabilities: [String] = [],
        make: @escaping @Sendable (PluginContext) throws -> any AudioOutputPort
    ) -> PluginProvision {
        PluginProvision(
            kind: .output, identifier: identifier, capabilities: capabilities, factory: Factory(output: make))
    }

    /// Provides an output that needs nothing from the host.
    ///
    /// - Parameters:
    ///   - identifier: The name that hosts ask for.
    ///   - capabilities: Free words for listings.
    ///   - make: Makes an output.
    public static func output(
        _ identifier: String, capabilities: [String] = [], make: @escaping @Sendable () throws -> any AudioOutputPort
    ) -> PluginProvision {
        output(identifier, capabilities: capabilities) { _ in try make() }
    }

    /// Provides an effect.
    ///
    /// - Parameters:
    ///   - identifier: The name that hosts ask for.
    ///   - capabilities: Free words for listings.
    ///   - make: Makes an effect with what the host lends.
    public static func effect(
        _ identifier: String, capabilities: [String] = [],
        make: @escaping @Sendable (PluginContext) throws -> any AudioEffect
    ) -> PluginProvision {
        PluginProvision(
            kind: .effect, identifier: identifier, capabilities: capabilities,
            factory: Factory(effect: make))
    }

    /// Provides an effect that needs nothing from the host.
    ///
    /// - Parameters:
    ///   - identifier: The name that hosts ask for.
    ///   - capabilities: Free words for listings.
    ///   - make: Makes an effect.
    public static func effect(
        _ identifier: String, capabilities: [String] = [], make: @escaping @Sendable () throws -> any AudioEffect
    ) -> PluginProvision {
        effect(identifier, capabilities: capabilities) { _ in try make() }
    }
}

extension PluginFileType {
    /// One file type, or none when nothing describes it.
    fileprivate static func list(
        _ extensions: [String], _ mimeTypes: [String], _ signatures: [FileSignature], _ priority: Int
    ) -> [PluginFileType] {
        guard !extensions.isEmpty || !mimeTypes.isEmpty || !signatures.isEmpty else { return [] }
        return [
            PluginFileType(extensions: extensions, mimeTypes: mimeTypes, signatures: signatures, priority: priority)
        ]
    }
}
