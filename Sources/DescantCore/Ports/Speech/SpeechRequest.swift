/// One piece of text, usually a sentence, to be spoken.
public struct SpeechRequest: Sendable, Hashable {
    /// Plain text, without control characters when it comes from the speech engine.
    public var text: String
    /// A ``SpeechVoice/identifier``; `nil` for the synthesizer's default.
    public var voice: String?
    /// A BCP 47 language tag; `nil` to follow the voice.
    public var language: String?
    /// Speaking rate relative to the voice's normal one; 1 is normal.
    public var rate: Double
    /// Pitch relative to the voice's normal one; 1 is normal.
    public var pitch: Double

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - text: Plain text.
    ///   - voice: A voice's identifier, or `nil` for the default.
    ///   - language: A BCP 47 language tag, or `nil` to follow the voice.
    ///   - rate: Speaking rate relative to the voice's normal one.
    ///   - pitch: Pitch relative to the voice's normal one.
    public init(text: String, voice: String? = nil, language: String? = nil, rate: Double = 1, pitch: Double = 1) {
        self.text = text
        self.voice = voice
        self.language = language
        self.rate = rate
        self.pitch = pitch
    }
}
