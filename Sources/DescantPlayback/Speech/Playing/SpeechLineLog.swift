/// Which sound lies at which frame of a line.
struct SpeechLineLog {
    /// A sound or the pause behind it.
    struct Entry {
        /// The line's frame at which it begins.
        var frame: Int64
        var piece: SpokenPiece
        var clip: SpeechClip
        /// The clip's frame at which it begins; `nil` for a pause.
        var clipFrame: Int?
        /// Frames of the clip for each frame of the line.
        var stretch: Double
    }

    private var entries: [Entry] = []

    /// More than are ever between what is read and what is heard.
    private static let kept = 24

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        if entries.count > Self.kept { entries.removeFirst(entries.count - Self.kept) }
    }

    /// What sounds at a frame of the line; `nil` before the first sound.
    func entry(at frame: Int64) -> Entry? { entries.last { $0.frame <= frame } ?? entries.first }
}
