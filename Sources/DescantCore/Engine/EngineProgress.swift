/// How far an engine is, beyond the seconds that every engine tells.
public struct EngineProgress: Sendable, Hashable, Codable {
    /// What is done before sound can come out.
    public enum Phase: String, Sendable, Hashable, Codable {
        /// Looking for sound that was made before.
        case checkingCache
        /// Loading a voice or model.
        case loadingModel
        /// Making sound.
        case generating
        /// Keeping the sound for the next time.
        case writing
    }

    /// Characters from the beginning of a text; `nil` for content without characters.
    public var characterOffset: Int?
    /// The word that is heard, in characters from the beginning; `nil` when unknown.
    public var currentWord: Range<Int>?
    /// What is done before sound can come out; `nil` when nothing is.
    public var phase: Phase?
    /// Whether the duration is an estimate that may still change.
    public var isEstimated: Bool

    /// Creates a description; engines do this.
    ///
    /// - Parameters:
    ///   - characterOffset: Characters from the beginning of a text.
    ///   - currentWord: The word that is heard.
    ///   - phase: What is done before sound can come out.
    ///   - isEstimated: Whether the duration is an estimate.
    public init(
        characterOffset: Int? = nil, currentWord: Range<Int>? = nil, phase: Phase? = nil, isEstimated: Bool = false
    ) {
        self.characterOffset = characterOffset
        self.currentWord = currentWord
        self.phase = phase
        self.isEstimated = isEstimated
    }
}
