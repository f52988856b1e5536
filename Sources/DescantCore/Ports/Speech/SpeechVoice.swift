/// A named voice of a synthesizer.
public struct SpeechVoice: Sendable, Hashable, Codable {
    /// The identifier that ``SpeechRequest/voice`` takes.
    public var identifier: String
    /// A name for people.
    public var name: String
    /// BCP 47 language tags that the voice speaks, best first.
    public var languages: [String]

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - identifier: The identifier that a request takes.
    ///   - name: A name for people.
    ///   - languages: BCP 47 language tags, best first.
    public init(identifier: String, name: String, languages: [String]) {
        self.identifier = identifier
        self.name = name
        self.languages = languages
    }
}
