/// A text that was handed over to be spoken, within all that a ``SpeechEngine`` has to speak.
public struct SpeechUtterance: Sendable, Hashable {
    /// Counts the utterances of an engine from 0; never reused.
    public var number: Int
    /// The place within the engine's whole text, in UTF-8 bytes. Marks are counted in the whole text too.
    public var utf8Range: Range<Int>
    /// The language as a BCP 47 tag; `nil` to follow the voice.
    public var language: String?

    /// Creates a description; engines do this.
    ///
    /// - Parameters:
    ///   - number: Counts the utterances of an engine from 0.
    ///   - utf8Range: The place within the engine's whole text, in UTF-8 bytes.
    ///   - language: The language as a BCP 47 tag.
    public init(number: Int, utf8Range: Range<Int>, language: String? = nil) {
        self.number = number
        self.utf8Range = utf8Range
        self.language = language
    }
}
