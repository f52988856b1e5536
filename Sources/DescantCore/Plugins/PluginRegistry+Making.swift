internal import Foundation

/// Making what was asked for by identifier. Each call makes a new object and may load a bundle first.
///
/// When the first provider of an identifier cannot be loaded, the next one is tried; the first one's reason reaches
/// the caller when none is left.
extension PluginRegistry {
    /// Makes an engine.
    ///
    /// - Parameters:
    ///   - identifier: As the manifest or the host calls it.
    ///   - mixer: The host's mixer, which the engine plays through when it makes PCM.
    /// - Throws: ``PluginError``, or whatever the plugin throws.
    public func makeEngine(_ identifier: String, mixer: (any MixingEngine)? = nil) throws -> any MediaEngine {
        try first(.engine, identifier) { provider in
            let context = context(for: provider, mixer: mixer)
            switch provider.origin {
            case .bundle(let bundle): return try bundle.plugin().makeEngine(identifier, context: context)
            case .host(let builtIn):
                guard case .engine(let make) = builtIn.factory else { throw provider.notProvided }
                return try make(context)
            }
        }
    }

    /// Makes a decoder.
    ///
    /// - Parameter identifier: As the manifest or the host calls it.
    /// - Throws: ``PluginError``, or whatever the plugin throws.
    public func makeDecoder(_ identifier: String) throws -> sending any DecoderPort {
        try first(.decoder, identifier) { try makeDecoder($0) }
    }

    /// Makes a speech synthesizer.
    ///
    /// - Parameter identifier: As the manifest or the host calls it.
    /// - Throws: ``PluginError``, or whatever the plugin throws.
    public func makeSpeechSynthesizer(_ identifier: String) throws -> any SpeechSynthesizer {
        try first(.speech, identifier) { provider in
            let context = context(for: provider)
            switch provider.origin {
            case .bundle(let bundle): return try bundle.plugin().makeSpeechSynthesizer(identifier, context: context)
            case .host(let builtIn):
                guard case .speech(let make) = builtIn.factory else { throw provider.notProvided }
                return try make(context)
            }
        }
    }

    /// Makes a tag reader.
    ///
    /// - Parameter identifier: As the manifest or the host calls it.
    /// - Throws: ``PluginError``, or whatever the plugin throws.
    public func makeTagReader(_ identifier: String) throws -> sending any TagReaderPort {
        try first(.tagReader, identifier) { provider in
            let context = context(for: provider)
            switch provider.origin {
            case .bundle(let bundle): return try bundle.plugin().makeTagReader(identifier, context: context)
            case .host(let builtIn):
                guard case .tagReader(let make) = builtIn.factory else { throw provider.notProvided }
                return try make(context)
            }
        }
    }

    /// Makes a tag writer.
    ///
    /// - Parameter identifier: As the manifest or the host calls it.
    /// - Throws: ``PluginError``, or whatever the plugin throws.
    public func makeTagWriter(_ identifier: String) throws -> sending any TagWriterPort {
        try first(.tagWriter, identifier) { provider in
            let context = context(for: provider)
            switch provider.origin {
            case .bundle(let bundle): return try bundle.plugin().makeTagWriter(identifier, context: context)
            case .host(let builtIn):
                guard case .tagWriter(let make) = builtIn.factory else { throw provider.notProvided }
                return try make(context)
            }
        }
    }

    /// Makes an output.
    ///
    /// - Parameter identifier: As the manifest or the host calls it.
    /// - Throws: ``PluginError``, or whatever the plugin throws.
    public func makeOutput(_ identifier: String) throws -> sending any AudioOutputPort {
        try first(.output, identifier) { provider in
            let context = context(for: provider)
            switch provider.origin {
            case .bundle(let bundle): return try bundle.plugin().makeOutput(identifier, context: context)
            case .host(let builtIn):
                guard case .output(let make) = builtIn.factory else { throw provider.notProvided }
                return try make(context)
            }
        }
    }

    /// Makes the decoder of one provider.
    func makeDecoder(_ provider: RegisteredProvider) throws -> sending any DecoderPort {
        let context = context(for: provider)
        switch provider.origin {
        case .bundle(let bundle):
            return try bundle.plugin().makeDecoder(provider.provision.identifier, context: context)
        case .host(let builtIn):
            guard case .decoder(let make) = builtIn.factory else { throw provider.notProvided }
            return try make(context)
        }
    }

    private func first<Made>(
        _ kind: PluginKind, _ identifier: String, make: (RegisteredProvider) throws -> sending Made
    ) throws -> sending Made {
        var firstError: (any Error)?
        for provider in registered(kind) where provider.provision.identifier == identifier {
            do {
                return try make(provider)
            } catch {
                note(provider, error)
                firstError = firstError ?? error
            }
        }
        throw firstError ?? absence(of: kind, identifier)
    }
}

extension RegisteredProvider {
    /// The error for asking a provider for something of another kind.
    var notProvided: PluginError { .notProvided(kind: provision.kind.rawValue, identifier: provision.identifier) }
}
