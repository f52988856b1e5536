/// What a plugin can provide.
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
}
