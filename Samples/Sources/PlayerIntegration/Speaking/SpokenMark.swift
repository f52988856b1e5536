/// A word or sentence as it was heard, for a report.
public struct SpokenMark: Sendable, Hashable, Codable {
    /// `word` or `sentence`.
    public var kind: String
    /// What was spoken.
    public var text: String
    /// The place in the whole text, in UTF-8 bytes.
    public var start: Int
    /// The end of the place, in UTF-8 bytes.
    public var end: Int
    /// The frame on the output's timeline.
    public var frame: Int64
    /// Whether the frame was computed rather than measured.
    public var isEstimated: Bool
}
