public import Descant

/// What is to be spoken, how, and where to.
public struct SpeakRequest: Sendable {
    /// The text.
    public var text: String
    /// The synthesizer, as `descant plugins` lists it; `nil` for the first one there is.
    public var engine: String?
    /// How it is spoken.
    public var settings: SpeechSettings
    /// Where it is heard.
    public var output: OutputDestination

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - engine: The synthesizer; `nil` for the first one there is.
    ///   - settings: How it is spoken.
    ///   - output: Where it is heard.
    public init(text: String, engine: String?, settings: SpeechSettings, output: OutputDestination) {
        self.text = text
        self.engine = engine
        self.settings = settings
        self.output = output
    }
}
