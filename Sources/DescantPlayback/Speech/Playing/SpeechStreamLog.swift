/// Which sound lies at which frame of a line.
struct SpeechStreamLog {
    /// A sound or the pause behind one.
    struct Entry {
        enum Content {
            /// A sound from one of its frames on, with so many frames of it for each frame of the line.
            case sound(SpokenPiece, SpeechClip, frame: Int, stretch: Double)
            /// So many frames of silence.
            case pause(frames: Int)
        }

        /// The line's frame at which it begins.
        var frame: Int64
        var segment: Int
        var content: Content
    }

    private var entries: [Entry] = []

    /// More than are ever between what is read and what is heard.
    private static let kept = 64

    /// Adds what comes next. What began at the same frame had no sound, and is never heard.
    mutating func append(_ entry: Entry) {
        if entries.last?.frame == entry.frame { entries.removeLast() }
        entries.append(entry)
        if entries.count > Self.kept { entries.removeFirst(entries.count - Self.kept) }
    }

    /// What sounds at a frame of the line; `nil` when nothing was added.
    func entry(at frame: Int64) -> Entry? { entries.last { $0.frame <= frame } ?? entries.first }
}
