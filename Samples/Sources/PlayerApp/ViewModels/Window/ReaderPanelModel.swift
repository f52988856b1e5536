public import Foundation
public import Observation

/// The page of a window that reads books aloud: the text with what is heard, and the commands of the reader.
///
/// Commands return at once; what they change is shown when it has changed.
@MainActor
@Observable
public final class ReaderPanelModel {
    /// The book that is read; `nil` before one was opened.
    public private(set) var book: ReaderState?
    /// Whether a book is being opened.
    public private(set) var isOpening = false
    /// The file that was read the last time; `nil` when there is none, or it has been opened since.
    public private(set) var lastFile: URL?

    /// The pieces of the book. It is observed: what is shown of it is read from here first.
    private var pieces: BookSections?
    /// The speed, engine and voice that were asked for and do not apply yet.
    private var wanted = Wanted()

    @ObservationIgnored private let opener: any BookOpening
    @ObservationIgnored private let report: @MainActor (Notice) -> Void
    /// Called with the file of a book that was opened.
    @ObservationIgnored private let remember: @MainActor (URL) -> Void
    @ObservationIgnored private var reader: (any ReaderControlling)?
    /// Carries out the commands to the present book in their order; `nil` before one was opened.
    @ObservationIgnored private var intents: IntentQueue<ReaderIntent>?
    /// The piece that was shown last.
    @ObservationIgnored private var shown: BookSections.Section?
    @ObservationIgnored private var opening: Task<Void, Never>?
    @ObservationIgnored private var volume = 1.0
    @ObservationIgnored private var sleep = SleepSetting.off
    @ObservationIgnored private var isClosed = false

    /// What was asked for.
    private struct Wanted {
        var rate: Double?
        var engine: String?
        var voice: String?
    }

    /// Creates a page without a book.
    ///
    /// - Parameters:
    ///   - opener: Opens books.
    ///   - lastFile: The file that was read the last time.
    ///   - report: Shows a message that is not about the present book.
    ///   - remember: Called with the file of a book that was opened.
    init(
        _ opener: any BookOpening, lastFile: URL?, report: @escaping @MainActor (Notice) -> Void,
        remember: @escaping @MainActor (URL) -> Void
    ) {
        self.opener = opener
        self.lastFile = lastFile
        self.report = report
        self.remember = remember
    }

    // MARK: Opening

    /// Opens a book in place of the present one, whose place is kept, and begins to read it.
    ///
    /// - Parameter urls: Files; several make one book.
    public func open(_ urls: [URL]) {
        guard !urls.isEmpty, !isClosed else { return }
        let before = opening
        before?.cancel()
        isOpening = true
        opening = Task {
            // One after the other, so that the book that was opened last is the one that stays.
            await before?.value
            await load(urls)
            if !Task.isCancelled { isOpening = false }
        }
    }

    /// Opens the file that was read the last time.
    public func openLastFile() { if let lastFile { open([lastFile]) } }

    /// The text of a button that opens that file: "Go on reading mill"; empty without one.
    public var lastFileText: String {
        lastFile.map { "Go on reading \($0.deletingPathExtension().lastPathComponent)" } ?? ""
    }

    private func load(_ urls: [URL]) async {
        guard !Task.isCancelled else { return }
        do {
            let opened = try await opener.open(urls)
            guard !Task.isCancelled else { return await opened.reader.stop() }
            await reader?.stop()
            begin(opened)
            if urls.count == 1 {
                lastFile = nil
                remember(urls[0])
            }
        } catch {
            // A book that was opened meanwhile is the one that counts.
            if !Task.isCancelled { report(Notice(.error, "\(error)")) }
        }
    }

    private func begin(_ opened: OpenedBook) {
        let state = ReaderState(
            reader: opened.reader, book: opened.book, place: opened.place, rate: opened.rate, notices: opened.notices)
        reader = opened.reader
        intents = IntentQueue(perform: { intent in
            guard case .setVolume = intent else { return await state.send(intent, dismisses: false) }
            try? await state.perform(intent)
        })
        pieces = BookSections(opened.book)
        shown = nil
        wanted = Wanted()
        state.setSleep(sleep)
        book = state
        Task { await state.follow() }
        Task {
            await opened.reader.setVolume(volume)
            do {
                try await opened.reader.start()
            } catch is CancellationError {
                // It was closed meanwhile.
            } catch {
                state.notices.add(Notice(.error, "\(error)"))
            }
        }
    }

    /// Stops the reader and keeps the place; for the end of the program.
    public func close() async {
        isClosed = true
        opening?.cancel()
        await opening?.value
        await reader?.stop()
    }

    // MARK: What is shown

    /// The title of the book.
    public var title: String { book?.book.title ?? "" }

    /// The chapter that is heard; empty without one.
    public var chapter: String { book?.chapter ?? "" }

    /// Whether the book is read, or will be in a moment.
    public var isReading: Bool { book.map { $0.activity == .playing || $0.activity == .preparing } ?? false }

    /// Whether there are chapters to move by.
    public var hasChapters: Bool { book.map { !$0.book.chapters.isEmpty } ?? false }

    /// How much was read and how long the rest takes: "34 %, about 1:20:00 left".
    public var progressText: String {
        guard let book else { return "" }
        let percent = "\(Int(book.share * 100)) %"
        guard let remaining = book.remaining else { return percent }
        return "\(percent), \(book.isEstimated ? "about " : "")\(ClockText.text(remaining)) left"
    }

    /// The piece of the text to show: that of the place that is heard.
    public var section: BookSections.Section? {
        guard let pieces, let range else { return nil }
        if let shown, shown.range == range { return shown }
        let section = pieces.section(range)
        shown = section
        return section
    }

    /// The range of ``section``, in UTF-8 bytes of the book.
    private var range: Range<Int>? { book.flatMap { pieces?.range(at: $0.place) } }

    /// The sentence that is heard, in characters of ``section``; `nil` before the first and behind the last one.
    public var sentence: Range<Int>? { book?.sentence.flatMap(characters) }

    /// The word that sounds, in characters of ``section``.
    public var word: Range<Int>? { book?.word.flatMap(characters) }

    private func characters(of bytes: Range<Int>) -> Range<Int>? {
        guard let pieces, let range else { return nil }
        let characters = pieces.characters(of: bytes, in: range)
        return characters.isEmpty ? nil : characters
    }

    // MARK: Commands

    /// Pauses or reads on; a book that was read to its end begins again.
    public func togglePause() { send(.togglePause) }

    /// Pauses; harmless when nothing is read.
    public func pause() { send(.pause) }

    /// Pauses because music has begun: the messages stay.
    func pauseForMusic() { intents?.send(.pause) }

    /// Moves in the text.
    ///
    /// - Parameters:
    ///   - step: The unit.
    ///   - forward: Whether forward; backward otherwise.
    public func move(by step: ReaderStep, forward: Bool) { send(.move(step, forward: forward)) }

    /// Reads from the sentence at a character of ``section``.
    ///
    /// - Parameter character: The character, from 0.
    public func read(fromCharacter character: Int) {
        guard let book, let range, let pieces else { return }
        let place = pieces.place(ofCharacter: character, in: range)
        send(.go(book.book.sentenceIndex(at: place).map { book.book.sentences[$0].lowerBound } ?? place))
    }

    /// Begins to carry out a command of the person, who has seen the message that is shown.
    private func send(_ intent: ReaderIntent, done: @escaping @MainActor () -> Void = {}) {
        book?.notices.dismiss()
        intents?.send(intent, done: done)
    }

    // MARK: Speed, engine and voice

    /// The speeds that can be chosen.
    public static let rates = ReaderState.rates

    /// The speed to show; 1 is normal.
    public var rate: Double { wanted.rate ?? book?.rate ?? 1 }

    /// Sets the speed.
    ///
    /// - Parameter rate: 0.25…4; others are clamped.
    public func setRate(_ rate: Double) {
        let rate = ReaderState.step(rate, by: 0, within: Self.rates)
        guard book != nil, rate != self.rate else { return }
        wanted.rate = rate
        send(.setRate(rate)) { [weak self] in self?.wanted.rate = nil }
    }

    /// The names of the engines that can be chosen.
    public var engineNames: [String] {
        guard let book else { return [] }
        return book.engines.isEmpty && !book.engine.isEmpty ? [book.engine] : book.engines
    }

    /// The place of the present engine in ``engineNames``.
    public var engineIndex: Int { engineNames.firstIndex(of: wanted.engine ?? book?.engine ?? "") ?? 0 }

    /// Continues with another engine, at the present word.
    ///
    /// - Parameter index: A place in ``engineNames``; others are ignored.
    public func setEngine(_ index: Int) {
        guard engineNames.indices.contains(index), index != engineIndex else { return }
        let name = engineNames[index]
        wanted.engine = name
        // The list goes back to the present engine when the other one cannot be used.
        sendVoice(.useEngine(name))
    }

    /// Changes of engine and voice wait for each other; the reader has what was chosen when none waits.
    private func sendVoice(_ intent: ReaderIntent) {
        send(intent) { [weak self] in
            self?.wanted.engine = nil
            self?.wanted.voice = nil
        }
    }

    /// The names of the voices that can be chosen.
    public var voiceNames: [String] { book?.voices.map(\.name) ?? [] }

    /// The place of the present voice in ``voiceNames``.
    public var voiceIndex: Int {
        guard let book else { return 0 }
        return book.voices.firstIndex { $0.identifier == wanted.voice ?? book.voice } ?? 0
    }

    /// Continues with another voice, at the present word.
    ///
    /// - Parameter index: A place in ``voiceNames``; others are ignored.
    public func setVoice(_ index: Int) {
        guard let book, book.voices.indices.contains(index), index != voiceIndex else { return }
        let voice = book.voices[index].identifier
        wanted.voice = voice
        sendVoice(.useVoice(voice))
    }

    /// Sets the volume, also that of the book that is opened next.
    ///
    /// - Parameter volume: 0…1.
    func setVolume(_ volume: Double) {
        guard volume != self.volume else { return }
        self.volume = volume
        // The volume is the window's and no command of a person to the reader, whose messages stay.
        intents?.send(.setVolume(volume))
    }

    /// Sets the sleep timer, also that of the book that is opened next.
    func setSleep(_ setting: SleepSetting) {
        sleep = setting
        book?.setSleep(setting)
    }
}
