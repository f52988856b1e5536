/// A decoder that may be able to open a file.
public struct DecoderCandidate: Sendable {
    /// The decoder's identifier.
    public let identifier: String
    /// The bundle that provides it; `nil` for the host's own.
    public let plugin: String?
    /// How sure it is; candidates come maximum first.
    public let score: ProbeScore
    /// The declared priority that decides between equal scores.
    public let priority: Int

    let registry: PluginRegistry
    let provider: RegisteredProvider

    /// Makes the decoder.
    ///
    /// - Throws: ``PluginError``, or whatever the plugin throws.
    public func makeDecoder() throws -> sending any DecoderPort { try registry.makeDecoder(provider) }

    /// The name in reports of overdue calls: the bundle's, or the decoder's own when it is built in.
    package var providerName: String { plugin ?? identifier }

    /// Takes the decoder's bundle out of use until the process ends, after a call into it has exceeded its limit.
    ///
    /// - Parameters:
    ///   - operation: The call that did not return.
    ///   - seconds: The limit.
    package func retire(operation: String, seconds: Double) {
        registry.retire(providerName, operation: operation, seconds: seconds)
    }

    /// Whether the file's content, and not only its name, speaks for the decoder.
    package var recognisesContent: Bool { score >= .content }

    /// Whether an error of this decoder is the last word on a file: nobody who did not recognise the content is tried then.
    ///
    /// - Parameter error: What the decoder threw when it opened the file.
    package func isFinal(_ error: any Error) -> Bool {
        guard recognisesContent, case .decodeError? = error as? CoreError else { return false }
        return true
    }

    /// "flac of org.descant.flac (score 95, priority 0)".
    public var summary: String { "\(provider.name) (score \(score.value), priority \(priority))" }
}
