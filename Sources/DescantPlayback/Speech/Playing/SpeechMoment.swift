/// What is heard at a moment of a line.
struct SpeechMoment {
    enum Content {
        /// The sound of a segment, and the frame of it.
        case sound(SpokenPiece, SpeechClip, frame: Int)
        /// The pause behind a segment, and what is left of it in seconds at the rate 1.
        case pause(left: Double)
    }

    var segment: Int
    var content: Content
}
