internal import DescantCore

/// The position of speech: the place in the text, and the seconds at the rate 1 that were heard before the present stream.
struct SpeechPosition {
    /// The place where speech begins while no stream tells where it is.
    var cursor = TextCursor.start(of: 0)
    /// Seconds at the rate 1 before the present stream.
    private(set) var anchor = 0.0
    /// The word that is heard, in UTF-8 bytes of the whole text.
    private(set) var word: Range<Int>?
    /// The number of the utterance behind the last one that was told as ended.
    var nextUtterance = 0
    /// The place where the text goes on, while the pause behind a segment is heard.
    private var passedOffset: Int?
    /// The last reported share of the whole, which decreases at jumps only, and when text is added.
    private var reportedShare = 0.0

    /// The place that is heard, in UTF-8 bytes; `nil` when neither a word nor a pause is heard.
    var heardOffset: Int? { word?.lowerBound ?? passedOffset }

    mutating func moveToStart() {
        cursor = .start(of: 0)
        anchor = 0
        nextUtterance = 0
        reportedShare = 0
    }

    /// Moves behind the last segment.
    mutating func moveToEnd(segments: Int, total: Double) {
        cursor = .start(of: segments)
        anchor = total
        reportedShare = 1
    }

    /// Moves to a place.
    ///
    /// - Parameters:
    ///   - cursor: The place.
    ///   - seconds: Its position.
    ///   - total: The duration of the whole text.
    mutating func jump(to cursor: TextCursor, seconds: Double, total: Double) {
        anchor = seconds
        reportedShare = total > 0 ? min(1, seconds / total) : 0
        self.cursor = cursor
    }

    /// Notes that there is more text: what was heard is a smaller share of the whole.
    mutating func textWasAdded() { reportedShare = 0 }

    /// Goes on behind what was heard of the present stream.
    mutating func advance(by seconds: Double) { anchor += seconds }

    /// Sets the position where the next stream begins.
    mutating func restart(at seconds: Double) { anchor = seconds }

    mutating func hear(_ word: Range<Int>) {
        self.word = word
        passedOffset = nil
    }

    /// A segment has ended; the text goes on at an offset.
    mutating func hearPause(before offset: Int) {
        word = nil
        passedOffset = offset
    }

    mutating func forgetWord() {
        word = nil
        passedOffset = nil
    }

    /// The duration to report. While the estimate grows, the duration follows the position, so that the share of the whole does
    /// not decrease.
    ///
    /// - Parameters:
    ///   - position: The position that is heard.
    ///   - total: The estimated duration.
    mutating func duration(at position: Double, total: Double) -> Double {
        let share = total > 0 ? position / total : 0
        guard share < reportedShare, reportedShare > 0 else {
            reportedShare = share
            return total
        }
        return position / reportedShare
    }
}

/// The jumps of an engine. What an earlier jump has prepared is discarded.
struct SpeechJumps {
    private(set) var number: UInt64 = 0
    /// Prepares the sound of the last jump; `nil` when it is there.
    private(set) var beginning: Task<Void, any Error>?

    /// Whether a jump is being prepared.
    var isBeginning: Bool { beginning != nil }

    /// Makes what was prepared obsolete.
    mutating func next() {
        number += 1
        beginning?.cancel()
        beginning = nil
    }

    /// Notes the task that prepares the last jump.
    mutating func began(_ task: Task<Void, any Error>) { beginning = task }

    /// Notes that the last jump is prepared, or has failed.
    mutating func ended() { beginning = nil }

    /// Cancels the task of an engine that is gone.
    func cancel() { beginning?.cancel() }
}
