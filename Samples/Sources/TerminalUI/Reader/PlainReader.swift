internal import Observation
public import PlayerApp

/// Reports what is read as lines, a sentence each: for pipes, logs and terminals that cannot show more.
@MainActor
public final class PlainReader {
    private let state: ReaderState
    private let write: (String) -> Void
    private let note: (String) -> Void
    private var lastSentence: Int?
    private var lastChapter: String?
    private var lastVoice = ""
    private var lastActivity = PlayerActivity.idle
    private var reportedNotices = 0

    /// Creates a reporter.
    ///
    /// - Parameters:
    ///   - state: What to report.
    ///   - write: Takes a line of the text, without its line break.
    ///   - note: Takes a line about the reading.
    public init(state: ReaderState, write: @escaping (String) -> Void, note: @escaping (String) -> Void) {
        self.state = state
        self.write = write
        self.note = note
    }

    /// Reports until the book was read or a signal comes.
    ///
    /// - Parameter atEnd: Called before the signals have their usual effect again, to keep the place.
    /// - Returns: Why it ended.
    public func run(atEnd: () async -> Void) async -> PlayerEnding {
        let events = SessionEvents(readsKeys: false, ticksPerSecond: 10)
        var ending = PlayerEnding.finished
        for await event in events.stream {
            report()
            if case .interrupted(let number) = event {
                ending = .interrupted(number)
                break
            }
            if state.isDone { break }
        }
        await atEnd()
        report()
        events.stop()
        return ending
    }

    /// Writes a line for everything that changed since the last call.
    public func report() {
        for notice in state.notices.suffix(state.noticeCount - reportedNotices) {
            note(DisplayWidth.printable(notice.text))
        }
        reportedNotices = state.noticeCount
        let voice = [state.engine, state.voice ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        if voice != lastVoice {
            lastVoice = voice
            note("read by \(DisplayWidth.printable(voice))")
        }
        if state.activity != lastActivity {
            lastActivity = state.activity
            note("\(state.activity.rawValue), \(Int(state.share * 100))%")
        }
        reportSentences()
    }

    /// Sentences are short at times: everything between the last one and this one was read, unless it was skipped.
    private func reportSentences() {
        guard state.activity == .playing || state.activity == .finished else { return }
        let book = state.book
        let present = book.sentenceIndex(at: state.place) ?? book.sentences.count
        if let last = lastSentence, last < present, present - last <= 4 {
            for index in last + 1..<present { write(index) }
        }
        if present < book.sentences.count, present != lastSentence { write(present) }
        lastSentence = present
    }

    private func write(_ sentence: Int) {
        let range = state.book.sentences[sentence]
        if let chapter = state.book.chapterIndex(at: range.lowerBound).map({ state.book.chapters[$0].title }),
            chapter != lastChapter
        {
            lastChapter = chapter
            note("chapter: \(DisplayWidth.printable(chapter))")
        }
        write(DisplayWidth.printable(state.book.string(range)))
    }
}
