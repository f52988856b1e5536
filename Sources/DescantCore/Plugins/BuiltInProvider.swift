/// Something that a host offers in code under the same rules as a bundle does: found by identifier, ranked with the
/// others, made when it is first needed.
public struct BuiltInProvider: Sendable {
    enum Factory: Sendable {
        case engine(@Sendable (PluginContext) throws -> any MediaEngine)
        case decoder(@Sendable (PluginContext) throws -> any DecoderPort)
        case speech(@Sendable (PluginContext) throws -> any SpeechSynthesizer)
        case tagReader(@Sendable (PluginContext) throws -> any TagReaderPort)
        case tagWriter(@Sendable (PluginContext) throws -> any TagWriterPort)
        case output(@Sendable (PluginContext) throws -> any AudioOutputPort)
    }

    /// What is offered.
    public let provision: PluginProvision
    let factory: Factory

    /// Offers an engine.
    ///
    /// - Parameters:
    ///   - identifier: The name to ask for.
    ///   - schemes: URL schemes other than `file` that it takes.
    ///   - make: Makes a new one; any thread.
    public static func engine(
        _ identifier: String, schemes: [String] = [],
        make: @escaping @Sendable (PluginContext) throws -> any MediaEngine
    ) -> BuiltInProvider {
        let provision = PluginProvision(kind: .engine, identifier: identifier, schemes: schemes)
        return BuiltInProvider(provision: provision, factory: .engine(make))
    }

    /// Offers a decoder.
    ///
    /// - Parameters:
    ///   - identifier: The name to ask for.
    ///   - fileTypes: What it decodes; for whatever nobody else knows,
    ///     `PluginFileType(extensions: ["*"], priority: -100)`.
    ///   - schemes: URL schemes other than `file` that it takes.
    ///   - make: Makes a new one; any thread.
    public static func decoder(
        _ identifier: String, fileTypes: [PluginFileType], schemes: [String] = [],
        make: @escaping @Sendable (PluginContext) throws -> any DecoderPort
    ) -> BuiltInProvider {
        let provision = PluginProvision(
            kind: .decoder, identifier: identifier, fileTypes: fileTypes, schemes: schemes)
        return BuiltInProvider(provision: provision, factory: .decoder(make))
    }

    /// Offers a speech synthesizer.
    ///
    /// - Parameters:
    ///   - identifier: The name to ask for.
    ///   - languages: BCP 47 language tags.
    ///   - make: Makes a new one; any thread.
    public static func speechSynthesizer(
        _ identifier: String, languages: [String] = [],
        make: @escaping @Sendable (PluginContext) throws -> any SpeechSynthesizer
    ) -> BuiltInProvider {
        let provision = PluginProvision(kind: .speech, identifier: identifier, languages: languages)
        return BuiltInProvider(provision: provision, factory: .speech(make))
    }

    /// Offers a tag reader.
    ///
    /// - Parameters:
    ///   - identifier: The name to ask for.
    ///   - fileTypes: What it reads.
    ///   - make: Makes a new one; any thread.
    public static func tagReader(
        _ identifier: String, fileTypes: [PluginFileType],
        make: @escaping @Sendable (PluginContext) throws -> any TagReaderPort
    ) -> BuiltInProvider {
        let provision = PluginProvision(kind: .tagReader, identifier: identifier, fileTypes: fileTypes)
        return BuiltInProvider(provision: provision, factory: .tagReader(make))
    }

    /// Offers a tag writer.
    ///
    /// - Parameters:
    ///   - identifier: The name to ask for.
    ///   - fileTypes: What it writes.
    ///   - make: Makes a new one; any thread.
    public static func tagWriter(
        _ identifier: String, fileTypes: [PluginFileType],
        make: @escaping @Sendable (PluginContext) throws -> any TagWriterPort
    ) -> BuiltInProvider {
        let provision = PluginProvision(kind: .tagWriter, identifier: identifier, fileTypes: fileTypes)
        return BuiltInProvider(provision: provision, factory: .tagWriter(make))
    }

    /// Offers an output.
    ///
    /// - Parameters:
    ///   - identifier: The name to ask for.
    ///   - make: Makes a new one; any thread.
    public static func output(
        _ identifier: String, make: @escaping @Sendable (PluginContext) throws -> any AudioOutputPort
    ) -> BuiltInProvider {
        BuiltInProvider(provision: PluginProvision(kind: .output, identifier: identifier), factory: .output(make))
    }
}
