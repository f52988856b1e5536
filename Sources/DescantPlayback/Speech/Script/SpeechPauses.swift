/// The silence between segments, in seconds at the rate 1. It becomes shorter as the speech becomes quicker.
public struct SpeechPauses: Sendable, Hashable, Codable {
    /// Between the parts of a sentence that is too long to be spoken at once; 0…60.
    public var clause: Double
    /// Between sentences; 0…60.
    public var sentence: Double
    /// Between paragraphs, items of lists and utterances; 0…60.
    public var paragraph: Double

    /// Creates pauses.
    ///
    /// - Parameters:
    ///   - clause: Between the parts of a sentence, in seconds.
    ///   - sentence: Between sentences, in seconds.
    ///   - paragraph: Between paragraphs, in seconds.
    public init(clause: Double = 0.1, sentence: Double = 0.3, paragraph: Double = 0.6) {
        self.clause = clause
        self.sentence = sentence
        self.paragraph = paragraph
    }

    func seconds(behind boundary: TextSegment.Boundary) -> Double {
        switch boundary {
        case .run: 0
        case .clause: max(0, clause)
        case .sentence: max(0, sentence)
        case .paragraph: max(0, paragraph)
        }
    }
}
