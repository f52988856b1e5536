internal import DescantCore

/// The sounds of a stream by frame.
struct SpeechStreamLog {
    /// A sound or the pause behind one.
    struct Entry {
        enum Content {
            /// A sound from one of its frames on, with this many of its frames for each frame of the stream.
            case sound(SpokenPiece, SpeechClip, frame: Int, stretch: Double)
            /// So many frames of silence.
            case pause(frames: Int)
        }

        /// The stream's frame at which it begins.
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

    /// The entry at a frame of the stream; `nil` when nothing was added.
    func entry(at frame: Int64) -> Entry? { entries.last { $0.frame <= frame } ?? entries.first }
}

/// The sound or pause at a moment of a stream.
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

/// The meaning of a cue of a stream.
enum SpeechCue: Sendable {
    /// A segment begins, and a sentence if one does.
    case segment(SpokenPiece)
    /// A word begins.
    case word(utf8Range: Range<Int>, isEstimated: Bool)
    /// The last frame of a segment, or its place when nothing of it could be spoken.
    case segmentEnded(SpokenPiece, SpeechClip)
}
