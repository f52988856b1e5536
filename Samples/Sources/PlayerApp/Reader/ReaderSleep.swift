internal import Foundation

/// When a reader pauses by itself: where the first sentence begins behind the time or behind the chapter.
struct ReaderSleep {
    /// What was chosen; the end of the track is that of the chapter.
    private(set) var setting = SleepSetting.off
    /// Seconds of reading that are left; `nil` without a time.
    private(set) var remaining: TimeInterval?

    init(_ setting: SleepSetting = .off) {
        self.setting = setting
        if case .after(let minutes) = setting { remaining = TimeInterval(minutes) * 60 }
    }

    /// Counts what was heard, in seconds.
    mutating func count(_ seconds: TimeInterval) { remaining = remaining.map { max(0, $0 - seconds) } }

    /// Whether the reading ends between two sentences of a book, the first of which was heard last.
    func ends(between last: Int?, and next: Int?, of book: Book) -> Bool {
        guard let last, let next, next > last else { return false }
        switch setting {
        case .off: return false
        case .after: return remaining == 0
        // A person may have moved on by more than a sentence.
        case .endOfTrack:
            let chapters = [last, next].map { book.chapterIndex(at: book.sentences[$0].lowerBound) }
            return next == last + 1 && chapters[0] != chapters[1]
        }
    }
}
