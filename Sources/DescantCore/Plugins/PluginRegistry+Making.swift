internal import Dispatch

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
            return try make(provider) { plugin in
                try plugin.makeEngine(identifier, context: context)
            } builtIn: { factory in
                guard case .engine(let make) = factory else { throw provider.notProvided }
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
            return try make(provider) { plugin in
                try plugin.makeSpeechSynthesizer(identifier, context: context)
            } builtIn: { factory in
                guard case .speech(let make) = factory else { throw provider.notProvided }
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
            return try make(provider) { plugin in
                try plugin.makeTagReader(identifier, context: context)
            } builtIn: { factory in
                guard case .tagReader(let make) = factory else { throw provider.notProvided }
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
            return try make(provider) { plugin in
                try plugin.makeTagWriter(identifier, context: context)
            } builtIn: { factory in
                guard case .tagWriter(let make) = factory else { throw provider.notProvided }
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
            return try make(provider) { plugin in
                try plugin.makeOutput(identifier, context: context)
            } builtIn: { factory in
                guard case .output(let make) = factory else { throw provider.notProvided }
                return try make(context)
            }
        }
    }

    /// Makes the decoder of one provider.
    func makeDecoder(_ provider: RegisteredProvider) throws -> sending any DecoderPort {
        let context = context(for: provider)
        let identifier = provider.provision.identifier
        return try make(provider) { plugin in
            try plugin.makeDecoder(identifier, context: context)
        } builtIn: { factory in
            guard case .decoder(let make) = factory else { throw provider.notProvided }
            return try make(context)
        }
    }

    /// Makes something of a provider: a bundle's on a thread of its own and within the limits, the host's own directly.
    private func make<Made>(
        _ provider: RegisteredProvider, fromPlugin: @escaping @Sendable (any DescantPlugin) throws -> sending Made,
        builtIn: (BuiltInProvider.Factory) throws -> sending Made
    ) throws -> sending Made {
        switch provider.origin {
        case .bundle(let bundle):
            let plugin = try plugin(of: bundle)
            return try limited(provider, "make", limits.make) { try fromPlugin(plugin) }
        case .host(let provider): return try builtIn(provider.factory)
        }
    }

    /// Calls a provider's code on another thread; one that exceeds its limit is not asked again.
    ///
    /// - Throws: ``PluginError/overdue(identifier:operation:seconds:)``, or what the call throws.
    func limited<Value>(
        _ provider: RegisteredProvider, _ operation: String, _ limit: Double, on queue: DispatchQueue? = nil,
        late: @escaping @Sendable (Value) -> Void = { _ in }, _ call: @escaping @Sendable () throws -> sending Value
    ) throws -> sending Value {
        do {
            let queue = queue ?? DispatchQueue(label: "descant.plugin.\(operation)", qos: .userInitiated)
            return try blockingWithTimeout(limit, on: queue, late: late, call)
        } catch let overdue as TimeoutError {
            let name = provider.plugin ?? provider.provision.identifier
            retire(name, operation: operation, seconds: overdue.seconds)
            throw PluginError.overdue(identifier: name, operation: operation, seconds: overdue.seconds)
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
