/// Where in a script a voice is.
struct TextCursor: Sendable {
    /// How far into the sound of a segment.
    enum Offset: Sendable {
        /// The first frame.
        case start
        /// A place in the whole text, in UTF-8 bytes: the sound is made anew from there.
        case text(Int)
        /// A share of the segment's sound, 0…1.
        case share(Double)
        /// A frame of a sound that goes on, whatever the settings are now.
        case sound(SpokenPiece, SpeechClip, frame: Int)
        /// In the pause behind the segment, with so much of it to come, in seconds at the rate 1.
        case pause(left: Double)
    }

    var segment: Int
    var offset: Offset

    static func start(of segment: Int) -> TextCursor { TextCursor(segment: segment, offset: .start) }
}
