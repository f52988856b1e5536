/// The words of a track in one language.
public struct LyricsLanguageVariant: Sendable, Hashable, Codable {
    /// The language as the file has it, in ID3 three letters of ISO 639-2 such as `eng`; `nil` when it is not told.
    public var languageCode: String?
    /// The words, with line feeds between lines.
    public var text: String

    /// Creates a variant.
    ///
    /// - Parameters:
    ///   - languageCode: The language; empty, `und` (undetermined) and `XXX` (ID3's word for that) become `nil`.
    ///   - text: The words.
    public init(languageCode: String? = nil, text: String) {
        self.languageCode = languageCode.flatMap { ["", "und", "xxx"].contains($0.lowercased()) ? nil : $0 }
        self.text = text
    }
}
