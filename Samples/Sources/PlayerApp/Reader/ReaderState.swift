public import Foundation
public import Observation

/// The state of the reader, which views render.
@MainActor
@Observable
public final class ReaderState: InteractiveState {
    /// The book.
    public let book: Book
    /// The reader's activity.
    public private(set) var activity = PlayerActivity.idle
    /// The place that is heard, or heard next.
    public private(set) var place: Int
    /// The word that sounds.
    public private(set) var word: Range<Int>?
    /// Seconds at the normal speed that were heard, or would have been.
    public private(set) var position: TimeInterval = 0
    /// Seconds of the whole book at the normal speed; `nil` while unknown.
    public private(set) var duration: TimeInterval?
    /// Whether the duration may still change.
    public private(set) var isEstimated = true
    /// The engine that reads.
    public private(set) var engine = ""
    /// The engine's voice; `nil` for its own choice.
    public private(set) var voice: String?
    /// The engines that can be chosen; empty while unknown.
    public private(set) var engines: [String] = []
    /// The voices of the engine; empty while unknown.
    public private(set) var voices: [ReaderVoice] = []
    /// The speed; 1 is normal.
    public var rate: Double { rateSetting.value }
    private var rateSetting: Setting
    /// The volume, 0…1, also while the sound is muted.
    public private(set) var volume: Double
    /// Whether the sound is muted.
    public private(set) var isMuted = false
    /// The volume that the reader has: 0 while the sound is muted.
    private var readerVolume: Setting
    /// Whether the sleep timer has paused the reading, and it was not resumed since.
    public private(set) var isAsleep = false
    private var sleepTimer = ReaderSleep()
    /// The messages.
    public package(set) var notices: NoticeLog
    /// Whether the keys are shown.
    public private(set) var showsHelp = false
    /// Whether the app should end.
    public package(set) var isDone = false

    private let reader: any ReaderControlling

    /// The speeds that can be chosen.
    static let rates = 0.25...4.0

    /// Creates the state.
    ///
    /// - Parameters:
    ///   - reader: The reader.
    ///   - book: The book.
    ///   - place: Where it begins.
    ///   - rate: The speed at the start.
    ///   - volume: The volume at the start, 0…1.
    ///   - notices: The first messages.
    public init(
        reader: any ReaderControlling, book: Book, place: Int = 0, rate: Double = 1, volume: Double = 1,
        notices: [Notice] = []
    ) {
        self.reader = reader
        self.notices = NoticeLog(notices)
        self.book = book
        self.place = place
        rateSetting = Setting(rate)
        self.volume = volume
        readerVolume = Setting(volume)
    }

    /// The sentence that is heard, or heard next; `nil` after the last one.
    public var sentence: Range<Int>? { book.sentenceIndex(at: place).map { book.sentences[$0] } }

    /// The chapter's title; `nil` before the first one.
    public var chapter: String? { book.chapterIndex(at: place).map { book.chapters[$0].title } }

    /// How much of the text lies before the place, 0…1.
    public var share: Double { book.length > 0 ? min(1, Double(place) / Double(book.length)) : 0 }

    /// Seconds that are left at the present speed; `nil` while unknown.
    public var remaining: TimeInterval? { duration.map { max(0, $0 - position) / max(0.01, rate) } }

    /// When the reader pauses by itself; the end of the track is that of the chapter.
    public var sleep: SleepSetting { sleepTimer.setting }

    /// Seconds of reading until the reader pauses at the end of a sentence; `nil` without a time.
    public var sleepRemaining: TimeInterval? { sleepTimer.remaining }

    package var updates: AsyncStream<ReaderUpdate> { reader.updates }

    /// Sets the sleep timer, or ends it.
    ///
    /// - Parameter setting: When the reader pauses. The time stands still while nothing is read.
    public func setSleep(_ setting: SleepSetting) { sleepTimer = ReaderSleep(setting) }

    package func perform(_ intent: ReaderIntent) async throws {
        switch intent {
        case .togglePause: try await reader.togglePause()
        case .pause: await reader.pause()
        case .go(let place): try await reader.go(to: place)
        case .move(let step, let forward): try await reader.move(by: step, forward: forward)
        case .changeRate(let difference): try await setRate(Self.step(rate, by: difference, within: Self.rates))
        case .setRate(let rate): try await setRate(Self.step(rate, by: 0, within: Self.rates))
        case .changeVolume(let difference):
            volume = Self.volumeStep(volume, by: difference)
            isMuted = false
            await setReaderVolume(volume)
        case .toggleMute:
            isMuted.toggle()
            await setReaderVolume(isMuted ? 0 : volume)
        case .setVolume(let value):
            volume = min(1, max(0, value))
            isMuted = false
            await setReaderVolume(volume)
        case .useEngine(let name): try await reader.useEngine(name)
        case .useVoice(let identifier): try await reader.useVoice(identifier)
        case .nextEngine: try await reader.useNextEngine()
        case .nextVoice: try await reader.useNextVoice()
        case .changeSleep: setSleep(sleep.next)
        case .toggleHelp: showsHelp.toggle()
        case .dismiss: showsHelp = false
        case .quit: isDone = true
        }
    }

    private func setRate(_ rate: Double) async throws {
        let before = self.rate
        rateSetting.set(rate)
        do {
            try await reader.setRate(rate)
        } catch {
            // Another speed may have been set or reported meanwhile.
            if self.rate == rate { rateSetting.set(before) }
            throw error
        }
    }

    private func setReaderVolume(_ volume: Double) async {
        readerVolume.set(volume)
        await reader.setVolume(volume)
    }

    package func apply(_ update: ReaderUpdate) {
        switch update {
        case .activity(let activity):
            // Until the pause of the sleep timer is there, the reader may tell that it reads.
            if activity == .playing, self.activity == .paused { isAsleep = false }
            self.activity = activity
        case .place(let place, let word): move(to: min(max(0, place), book.length), word: word)
        case .time(let position, let duration, let isEstimated):
            // It is told four times a second; a longer step is a move.
            let step = position - self.position
            if activity == .playing, (0...4).contains(step) { sleepTimer.count(step / max(0.01, rate)) }
            self.position = position
            self.duration = duration
            self.isEstimated = isEstimated
        case .voice(let engine, let voice):
            // The voices of another engine are not those of this one.
            if engine != self.engine { voices = [] }
            self.engine = engine
            self.voice = voice
        case .engines(let engines): self.engines = engines
        case .voices(let voices): self.voices = voices
        case .rate(let rate): rateSetting.report(rate)
        case .volume(let volume):
            let before = readerVolume.value
            readerVolume.report(volume)
            // Another program has set it.
            if readerVolume.value != before { (self.volume, isMuted) = (volume, false) }
        case .notice(let notice): notices.add(notice)
        case .finished: isDone = true
        }
    }

    private func move(to place: Int, word: Range<Int>?) {
        let last = self.place
        self.place = place
        self.word = word
        // A voice that is late is still reading.
        guard sleep != .off, activity == .playing || activity == .preparing,
            sleepTimer.ends(between: book.sentenceIndex(at: last), and: book.sentenceIndex(at: place), of: book)
        else { return }
        setSleep(.off)
        isAsleep = true
        notices.add(Notice(.information, "the sleep timer has paused the reading; space reads on"))
        Task { await reader.pause() }
    }

    /// A value that a command sets at once and that the reader reports later. The late report of a value that a command has replaced is
    /// ignored, so that quick steps add up.
    private struct Setting {
        private(set) var value: Double
        /// The values that commands have replaced and that may still be reported.
        private var replaced: Set<Double> = []

        init(_ value: Double) { self.value = value }

        mutating func set(_ new: Double) {
            guard new != value else { return }
            replaced.insert(value)
            value = new
        }

        mutating func report(_ reported: Double) {
            guard reported == value || !replaced.contains(reported) else { return }
            (value, replaced) = (reported, [])
        }
    }
}

/// A command of the user to a reader.
public enum ReaderIntent: AppIntent {
    /// Pauses or resumes.
    case togglePause
    /// Pause; nothing happens when nothing is read.
    case pause
    /// Move to a place, in UTF-8 bytes of the text.
    case go(Int)
    /// Move in the text.
    case move(ReaderStep, forward: Bool)
    /// Change the speed by a difference.
    case changeRate(Double)
    /// Change the volume by a difference, in 0…1.
    case changeVolume(Double)
    /// Mute the sound, or set the volume from before.
    case toggleMute
    /// Set the speed; 1 is normal.
    case setRate(Double)
    /// Set the volume, 0…1.
    case setVolume(Double)
    /// Continue with an engine.
    case useEngine(String)
    /// Continue with a voice of the engine.
    case useVoice(String)
    /// Continues with the next engine.
    case nextEngine
    /// Continues with the next voice.
    case nextVoice
    /// The next setting of the sleep timer.
    case changeSleep
    /// Show the keys or hide them.
    case toggleHelp
    /// Close help.
    case dismiss
    /// End the program.
    case quit
}

/// The order in which commands are carried out.
extension ReaderIntent {
    /// The commands that this one waits for; `nil` for a command that begins at once.
    public var lane: IntentLane? {
        switch self {
        case .go, .move: .moves
        case .changeRate, .setRate: .rate
        case .changeVolume, .setVolume, .toggleMute: .volume
        case .useEngine, .useVoice, .nextEngine, .nextVoice: .voice
        case .changeSleep: .sleep
        case .togglePause, .pause, .toggleHelp, .dismiss, .quit: nil
        }
    }

    /// Whether the newest command of the lane stands for those of this kind that wait before it.
    public var replacesWaiting: Bool {
        switch self {
        case .setRate, .setVolume: true
        default: false
        }
    }
}
