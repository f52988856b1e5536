internal import DescantCore

/// What a cue of a line stands for.
enum SpeechCue: Sendable {
    /// A segment begins, and a sentence if one does.
    case segment(SpokenPiece)
    /// A word begins.
    case word(utf8Range: Range<Int>, isEstimated: Bool)
    /// The last frame of a segment, or its place when nothing of it could be spoken.
    case segmentEnded(SpokenPiece, SpeechClip)
}
