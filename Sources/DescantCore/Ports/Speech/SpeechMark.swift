/// A moment in synthesised sound that belongs to a place in the text.
public struct SpeechMark: Sendable, Hashable, Codable {
    /// What begins here.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A word.
        case word
        /// A sentence.
        case sentence
    }

    /// What begins here.
    public var kind: Kind
    /// The place in ``SpeechRequest/text``, in UTF-8 bytes.
    public var utf8Range: Range<Int>
    /// Frames from the beginning of the request's sound.
    public var frame: Int64
    /// Whether the frame was computed rather than measured.
    public var isEstimated: Bool

    /// Creates a mark.
    ///
    /// - Parameters:
    ///   - kind: What begins here.
    ///   - utf8Range: The place in the text, in UTF-8 bytes.
    ///   - frame: Frames from the beginning of the request's sound.
    ///   - isEstimated: Whether the frame was computed rather than measured.
    public init(kind: Kind, utf8Range: Range<Int>, frame: Int64, isEstimated: Bool) {
        self.kind = kind
        self.utf8Range = utf8Range
        self.frame = frame
        self.isEstimated = isEstimated
    }
}
