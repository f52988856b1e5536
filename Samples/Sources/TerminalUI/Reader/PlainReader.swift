internal import Observation
public import PlayerApp

/// Writes each sentence as a line when it is read, for pipes, logs and plain terminals.
@MainActor
public final class PlainReader {
    private let state: ReaderState
    private let write: (String) throws -> Void
    private let note: (String) -> Void
    private var lastSentence: Int?
    private var lastChapter: String?
    private var lastVoice = ""
    private var lastActivity = PlayerActivity.idle
    private var reportedNotices = 0

    /// Creates a reporter.
    ///
    /// - Parameters:
    ///   - state: The state to report.
    ///   - write: Receives a line of the text, without its line break; an error ends the reading.
    ///   - note: Receives a line about the reading.
    public init(
        state: ReaderState, write: @escaping (String) throws -> Void, note: @escaping (String) -> Void
    ) {
        self.state = state
        self.write = write
        self.note = note
    }

    /// Reports until the end of the book, a failure or a signal.
    ///
    /// - Parameter atEnd: Called before the signals have their usual effect again, to keep the place.
    /// - Returns: Why it ended.
    /// - Throws: Why the text cannot be written.
    public func run(atEnd: () async -> Void) async throws -> AppEnding {
        let events = SessionEvents(readsKeys: false, ticksPerSecond: 10)
        defer { events.stop() }
        let ending: Result<AppEnding, any Error>
        do {
            ending = .success(try await follow(events))
        } catch {
            ending = .failure(error)
        }
        await atEnd()
        _ = try ending.get()
        try report()
        return try ending.get()
    }

    private func follow(_ events: SessionEvents) async throws -> AppEnding {
        for await event in events.stream {
            try report()
            if case .interrupted(let number) = event { return .interrupted(number) }
            if state.activity == .failed {
                return .failed(state.notices.kept.last { $0.severity == .error }?.text ?? "the reading has failed")
            }
            // Nobody can let it read on.
            if state.isDone || state.isAsleep { break }
        }
        return .finished
    }

    /// Writes a line for everything that changed since the last call.
    ///
    /// - Throws: Why the text cannot be written.
    public func report() throws {
        for notice in state.notices.suffix(after: reportedNotices) {
            note(DisplayWidth.printable(notice.text))
        }
        reportedNotices = state.notices.count
        let voice = [state.engine, state.voice ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        if voice != lastVoice {
            lastVoice = voice
            note("read by \(DisplayWidth.printable(voice))")
        }
        if state.activity != lastActivity {
            lastActivity = state.activity
            note("\(state.activity.rawValue), \(Int(state.share * 100))%")
        }
        try reportSentences()
    }

    /// Writes all sentences since the last call, because several short ones may have been read; skipped ones are left out.
    private func reportSentences() throws {
        guard state.activity == .playing || state.activity == .finished else { return }
        let book = state.book
        let present = book.sentenceIndex(at: state.place) ?? book.sentences.count
        if let last = lastSentence, last < present, present - last <= 4 {
            for index in last + 1..<present { try write(index) }
        }
        if present < book.sentences.count, present != lastSentence { try write(present) }
        lastSentence = present
    }

    private func write(_ sentence: Int) throws {
        let range = state.book.sentences[sentence]
        if let chapter = state.book.chapterIndex(at: range.lowerBound).map({ state.book.chapters[$0].title }),
            chapter != lastChapter
        {
            lastChapter = chapter
            note("chapter: \(DisplayWidth.printable(chapter))")
        }
        try write(DisplayWidth.printable(state.book.string(range)))
    }
}
