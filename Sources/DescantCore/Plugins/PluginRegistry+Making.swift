internal import Dispatch

/// Making objects by identifier. Each call makes a new object and may load a bundle first.
///
/// When the first provider of an identifier cannot be loaded, the next one is tried; the first one's reason reaches
/// the caller when none is left. An identifier that no bundle provides is looked for again when a bundle may have been added.
extension PluginRegistry {
    /// Makes an engine.
    ///
    /// - Parameters:
    ///   - identifier: The identifier in a manifest or of a provision of the host's own.
    ///   - mixer: The host's mixer, which the engine plays through when it makes PCM.
    /// - Throws: ``PluginError``, or whatever the plugin throws.
    public func makeEngine(_ identifier: String, mixer: (any MixingEngine)? = nil) throws -> any MediaEngine {
        try first(.engine, identifier) { try make($0, mixer: mixer, \.engine) }
    }

    /// Makes a decoder.
    ///
    /// - Parameter identifier: The identifier in a manifest or of a provision of the host's own.
    /// - Throws: ``PluginError``, or whatever the plugin throws.
    public func makeDecoder(_ identifier: String) throws -> sending any DecoderPort {
        try first(.decoder, identifier) { try makeDecoder($0) }
    }

    /// Makes a speech synthesizer.
    ///
    /// - Parameter identifier: The identifier in a manifest or of a provision of the host's own.
    /// - Throws: ``PluginError``, or whatever the plugin throws.
    public func makeSpeechSynthesizer(_ identifier: String) throws -> any SpeechSynthesizer {
        try first(.speech, identifier) { try make($0, \.speech) }
    }

    /// Makes a tag reader.
    ///
    /// - Parameter identifier: The identifier in a manifest or of a provision of the host's own.
    /// - Throws: ``PluginError``, or whatever the plugin throws.
    public func makeTagReader(_ identifier: String) throws -> sending any TagReaderPort {
        try first(.tagReader, identifier) { try makeTagReader($0) }
    }

    /// Makes a tag writer.
    ///
    /// - Parameter identifier: The identifier in a manifest or of a provision of the host's own.
    /// - Throws: ``PluginError``, or whatever the plugin throws.
    public func makeTagWriter(_ identifier: String) throws -> sending any TagWriterPort {
        try first(.tagWriter, identifier) { try make($0, \.tagWriter) }
    }

    /// Makes an output.
    ///
    /// - Parameter identifier: The identifier in a manifest or of a provision of the host's own.
    /// - Throws: ``PluginError``, or whatever the plugin throws.
    public func makeOutput(_ identifier: String) throws -> sending any AudioOutputPort {
        try first(.output, identifier) { try make($0, \.output) }
    }

    /// Makes an effect.
    ///
    /// - Parameter identifier: The identifier in a manifest or of a provision of the host's own.
    /// - Throws: ``PluginError``, or whatever the plugin throws.
    public func makeEffect(_ identifier: String) throws -> any AudioEffect {
        try first(.effect, identifier) { try make($0, \.effect) }
    }

    /// Makes the decoder of one provider.
    func makeDecoder(_ provider: RegisteredProvider) throws -> sending any DecoderPort {
        try make(provider, \.decoder)
    }

    /// Makes the tag reader of one provider.
    func makeTagReader(_ provider: RegisteredProvider) throws -> sending any TagReaderPort {
        try make(provider, \.tagReader)
    }

    /// Makes a provider's object: a bundle's on another thread and within the limits, the host's own on the calling thread.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - mixer: The mixer in the context.
    ///   - maker: The closure of the wanted kind; `nil` for another kind.
    private func make<Made>(
        _ provider: RegisteredProvider, mixer: (any MixingEngine)? = nil,
        _ maker: (PluginProvision.Factory) -> PluginProvision.Maker<Made>?
    ) throws -> sending Made {
        let context = context(for: provider, mixer: mixer)
        guard let make = maker(try factory(of: provider)) else {
            let provision = provider.provision
            throw PluginError.notProvided(kind: provision.kind.rawValue, identifier: provision.identifier)
        }
        guard provider.bundle != nil else { return try make(context) }
        return try limited(provider, "make", limits(of: provider).make) { try make(context) }
    }

    /// Calls a provider's code on another thread; a provider that exceeds the limit is not used again.
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
        var isRepeated = false
        repeat {
            for provider in registered(kind) where provider.provision.identifier == identifier {
                do {
                    return try make(provider)
                } catch {
                    note(provider, error)
                    firstError = firstError ?? error
                }
            }
            if let firstError { throw firstError }
            isRepeated.toggle()
        } while isRepeated && rescanIfChanged()
        throw absence(of: kind, identifier)
    }
}
