public import Foundation

/// What a host lends to a plugin.
public struct PluginContext: Sendable {
    /// Where the plugin logs.
    public let logger: any LoggerPort
    /// The host's clock.
    public let clock: any ClockPort
    /// The bundle's folder, with whatever files lie beside the library.
    public let bundleURL: URL
    /// The host's mixer, for engines that make PCM; `nil` where a host has none.
    public let mixer: (any MixingEngine)?

    /// Creates a context; hosts and tests do this.
    ///
    /// - Parameters:
    ///   - logger: Where the plugin logs.
    ///   - clock: The host's clock.
    ///   - bundleURL: The bundle's folder.
    ///   - mixer: The host's mixer.
    public init(logger: any LoggerPort, clock: any ClockPort, bundleURL: URL, mixer: (any MixingEngine)? = nil) {
        self.logger = logger
        self.clock = clock
        self.bundleURL = bundleURL
        self.mixer = mixer
    }
}

/// The one object that a bundle's entry point makes.
///
/// Implement the factory methods for what the manifest declares.
///
/// Methods are called from any thread, possibly several times; each call makes a new object.
public protocol DescantPlugin: Sendable {
    /// What the plugin is and provides; the bundle writer puts it beside the library. Must be the same in every run.
    static var manifest: PluginManifest { get }

    /// Creates the plugin.
    ///
    /// - Throws: Any error when the plugin cannot work here; it then counts as unavailable with this reason.
    init() throws

    /// Makes an engine.
    ///
    /// - Parameters:
    ///   - identifier: One of the identifiers in the manifest.
    ///   - context: What the host lends.
    /// - Throws: Any error; it reaches the caller as the reason.
    func makeEngine(_ identifier: String, context: PluginContext) throws -> any MediaEngine

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - identifier: One of the identifiers in the manifest.
    ///   - context: What the host lends.
    /// - Throws: Any error; it reaches the caller as the reason.
    func makeDecoder(_ identifier: String, context: PluginContext) throws -> any DecoderPort

    /// Makes a speech synthesizer.
    ///
    /// - Parameters:
    ///   - identifier: One of the identifiers in the manifest.
    ///   - context: What the host lends.
    /// - Throws: Any error; it reaches the caller as the reason.
    func makeSpeechSynthesizer(_ identifier: String, context: PluginContext) throws -> any SpeechSynthesizer

    /// Makes a tag reader.
    ///
    /// - Parameters:
    ///   - identifier: One of the identifiers in the manifest.
    ///   - context: What the host lends.
    /// - Throws: Any error; it reaches the caller as the reason.
    func makeTagReader(_ identifier: String, context: PluginContext) throws -> any TagReaderPort

    /// Makes a tag writer.
    ///
    /// - Parameters:
    ///   - identifier: One of the identifiers in the manifest.
    ///   - context: What the host lends.
    /// - Throws: Any error; it reaches the caller as the reason.
    func makeTagWriter(_ identifier: String, context: PluginContext) throws -> any TagWriterPort

    /// Makes an output.
    ///
    /// - Parameters:
    ///   - identifier: One of the identifiers in the manifest.
    ///   - context: What the host lends.
    /// - Throws: Any error; it reaches the caller as the reason.
    func makeOutput(_ identifier: String, context: PluginContext) throws -> any AudioOutputPort
}

extension DescantPlugin {
    /// Provides no engine.
    ///
    /// - Parameters:
    ///   - identifier: What was asked for.
    ///   - context: What the host lends.
    /// - Throws: ``PluginError/notProvided(kind:identifier:)``.
    public func makeEngine(_ identifier: String, context: PluginContext) throws -> any MediaEngine {
        throw PluginError.notProvided(kind: PluginKind.engine.rawValue, identifier: identifier)
    }

    /// Provides no decoder.
    ///
    /// - Parameters:
    ///   - identifier: What was asked for.
    ///   - context: What the host lends.
    /// - Throws: ``PluginError/notProvided(kind:identifier:)``.
    public func makeDecoder(_ identifier: String, context: PluginContext) throws -> any DecoderPort {
        throw PluginError.notProvided(kind: PluginKind.decoder.rawValue, identifier: identifier)
    }

    /// Provides no speech synthesizer.
    ///
    /// - Parameters:
    ///   - identifier: What was asked for.
    ///   - context: What the host lends.
    /// - Throws: ``PluginError/notProvided(kind:identifier:)``.
    public func makeSpeechSynthesizer(_ identifier: String, context: PluginContext) throws -> any SpeechSynthesizer {
        throw PluginError.notProvided(kind: PluginKind.speech.rawValue, identifier: identifier)
    }

    /// Provides no tag reader.
    ///
    /// - Parameters:
    ///   - identifier: What was asked for.
    ///   - context: What the host lends.
    /// - Throws: ``PluginError/notProvided(kind:identifier:)``.
    public func makeTagReader(_ identifier: String, context: PluginContext) throws -> any TagReaderPort {
        throw PluginError.notProvided(kind: PluginKind.tagReader.rawValue, identifier: identifier)
    }

    /// Provides no tag writer.
    ///
    /// - Parameters:
    ///   - identifier: What was asked for.
    ///   - context: What the host lends.
    /// - Throws: ``PluginError/notProvided(kind:identifier:)``.
    public func makeTagWriter(_ identifier: String, context: PluginContext) throws -> any TagWriterPort {
        throw PluginError.notProvided(kind: PluginKind.tagWriter.rawValue, identifier: identifier)
    }

    /// Provides no output.
    ///
    /// - Parameters:
    ///   - identifier: What was asked for.
    ///   - context: What the host lends.
    /// - Throws: ``PluginError/notProvided(kind:identifier:)``.
    public func makeOutput(_ identifier: String, context: PluginContext) throws -> any AudioOutputPort {
        throw PluginError.notProvided(kind: PluginKind.output.rawValue, identifier: identifier)
    }
}
