/// Something in a request that could not be spoken as it was asked for.
public struct SpeechWarning: Sendable, Hashable, Codable {
    /// What is the matter.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A word that the voice does not know and leaves out.
        case unknownWord
        /// Characters that the voice cannot speak.
        case unsupportedCharacters
        /// The voice does not speak the language that was asked for.
        case unsupportedLanguage
        /// Text was left out for another reason.
        case skippedText
        /// A rate or pitch outside the synthesizer's range was brought into it.
        case adjustedParameter
    }

    /// What is the matter.
    public var kind: Kind
    /// The place in ``SpeechRequest/text``, in UTF-8 bytes.
    public var utf8Range: Range<Int>
    /// What happened and what can be done, for a person.
    public var message: String

    /// Creates a warning.
    ///
    /// - Parameters:
    ///   - kind: What is the matter.
    ///   - utf8Range: The place in the text, in UTF-8 bytes.
    ///   - message: What happened and what can be done, for a person.
    public init(kind: Kind, utf8Range: Range<Int>, message: String) {
        self.kind = kind
        self.utf8Range = utf8Range
        self.message = message
    }
}
