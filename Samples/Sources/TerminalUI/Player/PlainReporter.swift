internal import Observation
public import PlayerApp
internal import Synchronization

/// Reports the player's progress as lines: for pipes, logs and `--headless`.
@MainActor
public final class PlainReporter {
    private let state: AppState
    private let write: (String) -> Void
    private var lastIndex: Int?
    private var lastSong: String?
    private var lastActivity = PlayerActivity.idle
    private var reportedNotices = 0
    private var wasCrossfading = false

    /// Creates a reporter.
    ///
    /// - Parameters:
    ///   - state: The state to report.
    ///   - write: Receives one line, without its line break.
    public init(state: AppState, write: @escaping (String) -> Void) {
        self.state = state
        self.write = write
    }

    /// Reports until the player is done or a signal arrives.
    ///
    /// - Parameter atEnd: Called before the signals have their usual effect again, for a fade.
    /// - Returns: Why it ended.
    public func run(atEnd: () async -> Void) async -> AppEnding {
        let events = SessionEvents(readsKeys: false, ticksPerSecond: 10)
        var ending = AppEnding.finished
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
        for notice in state.notices.suffix(after: reportedNotices) {
            write(DisplayWidth.printable(notice.text))
        }
        reportedNotices = state.notices.count
        if state.currentIndex != lastIndex, let current = state.current, let index = state.currentIndex {
            lastIndex = index
            let name = [current.title, current.artist].compactMap { $0 }.joined(separator: " – ")
            let facts = [Timecode.text(state.duration), current.format].compactMap { $0 }.joined(separator: ", ")
            write("\(index + 1)/\(state.entries.count) \(DisplayWidth.printable(name)) (\(facts))")
        }
        if state.song != lastSong {
            lastSong = state.song
            if let song = state.song { write("now: \(DisplayWidth.printable(song))") }
        }
        if let crossfade = state.crossfade, !wasCrossfading { write("crossfade, \(crossfade.duration) s") }
        wasCrossfading = state.crossfade != nil
        if state.activity != lastActivity {
            lastActivity = state.activity
            write(state.activity.rawValue)
        }
    }
}
