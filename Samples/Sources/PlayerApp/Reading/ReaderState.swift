public import Foundation
public import Observation

/// The state of the reader: what views render. Changed only by the reader's updates and by intents.
@MainActor
@Observable
public final class ReaderState {
    /// What is read.
    public let book: Book
    /// What the reader does.
    public private(set) var activity = PlayerActivity.idle
    /// What is heard, or to be heard next.
    public private(set) var place: Int
    /// The word that sounds.
    public private(set) var word: Range<Int>?
    /// Seconds at the normal speed that were heard, or would have been.
    public private(set) var position: TimeInterval = 0
    /// Seconds of the whole book at the normal speed; `nil` while unknown.
    public private(set) var duration: TimeInterval?
    /// Whether the duration may still change.
    public private(set) var isEstimated = true
    /// Who reads.
    public private(set) var engine = ""
    /// The engine's voice; `nil` for its own choice.
    public private(set) var voice: String?
    /// The speed; 1 is normal.
    public private(set) var rate: Double
    /// The volume, 0…1.
    public private(set) var volume = 1.0
    /// The messages, the newest last; the oldest go when there are more than a hundred.
    public private(set) var notices: [Notice] = []
    /// How many messages there were in all.
    public private(set) var noticeCount = 0
    /// Whether the keys are shown.
    public private(set) var showsHelp = false
    /// Whether the app is to end.
    public private(set) var isDone = false

    private let reader: any ReaderControlling

    /// The speeds that keys reach.
    private static let rates = 0.25...4.0

    /// Creates the state.
    ///
    /// - Parameters:
    ///   - reader: Who reads.
    ///   - book: What is read.
    ///   - place: Where it begins.
    ///   - rate: The speed at the start.
    ///   - notices: What is to be said at the start.
    public init(
        reader: any ReaderControlling, book: Book, place: Int = 0, rate: Double = 1, notices: [Notice] = []
    ) {
        self.reader = reader
        self.notices = notices
        noticeCount = notices.count
        self.book = book
        self.place = place
        self.rate = rate
    }

    /// The newest message.
    public var notice: Notice? { notices.last }

    /// The sentence that is heard, or to be heard next; `nil` behind the last one.
    public var sentence: Range<Int>? { book.sentenceIndex(at: place).map { book.sentences[$0] } }

    /// The chapter's title; `nil` before the first one.
    public var chapter: String? { book.chapterIndex(at: place).map { book.chapters[$0].title } }

    /// How much of the text lies before the place, 0…1.
    public var share: Double { book.length > 0 ? min(1, Double(place) / Double(book.length)) : 0 }

    /// Seconds that are left at the present speed; `nil` while unknown.
    public var remaining: TimeInterval? { duration.map { max(0, $0 - position) / max(0.01, rate) } }

    /// Follows the reader's updates until they end.
    public func follow() async {
        for await update in reader.updates { apply(update) }
        isDone = true
    }

    /// Does what a person asked for; a refusal becomes a notice.
    ///
    /// - Parameter intent: What the person wants.
    public func send(_ intent: ReaderIntent) async {
        do {
            try await perform(intent)
        } catch {
            add(Notice(.warning, "\(error)"))
        }
    }

    private func perform(_ intent: ReaderIntent) async throws {
        switch intent {
        case .togglePause: try await reader.togglePause()
        case .move(let step, let forward): try await reader.move(by: step, forward: forward)
        case .changeRate(let difference):
            // Rounded, so that steps up and down meet again.
            let wanted = ((rate + difference) * 100).rounded() / 100
            try await reader.setRate(min(Self.rates.upperBound, max(Self.rates.lowerBound, wanted)))
        case .changeVolume(let difference):
            volume = (min(1, max(0, volume + difference)) * 100).rounded() / 100
            await reader.setVolume(volume)
        case .nextEngine: try await reader.useNextEngine()
        case .nextVoice: try await reader.useNextVoice()
        case .toggleHelp: showsHelp.toggle()
        case .quit: isDone = true
        }
    }

    private func add(_ notice: Notice) {
        notices.append(notice)
        noticeCount += 1
        if notices.count > 100 { notices.removeFirst() }
    }

    private func apply(_ update: ReaderUpdate) {
        switch update {
        case .activity(let activity): self.activity = activity
        case .place(let place, let word):
            self.place = min(max(0, place), book.length)
            self.word = word
        case .time(let position, let duration, let isEstimated):
            self.position = position
            self.duration = duration
            self.isEstimated = isEstimated
        case .voice(let engine, let voice):
            self.engine = engine
            self.voice = voice
        case .rate(let rate): self.rate = rate
        case .notice(let notice): add(notice)
        case .finished: isDone = true
        }
    }
}
