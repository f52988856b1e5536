import Descant
import Foundation
import PlayerApp
import Synchronization

/// A service for one file whose results and states a test decides.
final class FakeService: ObservablePlaybackService {
    private struct State {
        var playback = PlaybackState.stopped
        var url: URL?
        var calls: [String] = []
        var position = 0.0
        var refusals: [String: CoreError] = [:]
        var outputError: CoreError?
    }

    let isForPro: Bool
    private let values = Mutex(State())
    private let hub = EventHub<PlaybackState>(initial: .stopped)

    init(isForPro: Bool, refusing refusals: [String: CoreError] = [:]) {
        self.isForPro = isForPro
        values.withLock { $0.refusals = refusals }
    }

    var calls: [String] { values.withLock { $0.calls } }
    var state: PlaybackState { values.withLock { $0.playback } }
    var stateUpdates: EventStream<PlaybackState> { hub.stream() }

    /// What the output throws when it starts; `nil` lets it start.
    func setOutputError(_ error: CoreError?) { values.withLock { $0.outputError = error } }
    func setPosition(_ seconds: Double) { values.withLock { $0.position = seconds } }
    /// The track has been played, or its decoder has failed in the middle.
    func end(_ error: CoreError? = nil) { set(error.map { .error($0) } ?? .stopped) }

    /// The audio session pauses the service, or lets it go on.
    func setPausedBySession(_ isPaused: Bool) { set(isPaused ? .paused : .playing) }

    private func set(_ state: PlaybackState, _ call: String? = nil) {
        values.withLock { values in
            values.playback = state
            if let call { values.calls.append(call) }
            hub.post(state)
        }
    }

    func load(url: URL) throws {
        let name = url.lastPathComponent
        if let error = values.withLock({ $0.refusals[name] }) {
            set(.error(error), "load \(name)")
            throw error
        }
        values.withLock { $0.url = url }
        set(.paused, "load \(name)")
    }

    func play() throws {
        if let error = values.withLock({ $0.outputError }) { throw error }
        set(.playing, "play")
    }

    func pause() { if state == .playing { set(.paused, "pause") } }
    func stop() { set(.stopped, "stop") }

    func seek(to seconds: Double) throws {
        guard (0...10).contains(seconds) else { throw CoreError.invalidArgument("\(seconds) s is not within 0…10 s") }
        values.withLock { $0.position = seconds }
    }

    func currentTime() -> Double { values.withLock { $0.position } }
    func duration() -> Double { 10 }
    func setVolume(_ volume: Float) { values.withLock { $0.calls.append("volume \(volume)") } }
}

/// Reads no files: a file's title is its name in capitals.
final class FakeTagReader: TagReaderService, Sendable {
    func readMetadata(for url: URL) throws -> Track {
        switch url.pathExtension {
        case "missing": throw CoreError.notFound(url.path)
        case "untagged": throw CoreError.unsupported("no tags")
        case "locked": throw CoreError.ioError("\(url.path): permission denied")
        default:
            var tags = TagBundle()
            tags.title = url.deletingPathExtension().lastPathComponent.uppercased()
            tags.artist = "Ensemble"
            return Track(url: url, tags: tags)
        }
    }
}

final class FakeFactory: CoreFactory {
    private let made = Mutex<[FakeService]>([])
    private let refusals: @Sendable (Bool) -> [String: CoreError]

    /// - Parameter refusals: What services for a product refuse, by name.
    init(refusals: @escaping @Sendable (_ isProUser: Bool) -> [String: CoreError] = { _ in [:] }) {
        self.refusals = refusals
    }

    var services: [FakeService] { made.withLock { $0 } }

    func makePlaybackService(isProUser: Bool) -> any ObservablePlaybackService {
        let service = FakeService(isForPro: isProUser, refusing: refusals(isProUser))
        made.withLock { $0.append(service) }
        return service
    }

    func makeTagReaderService() -> any TagReaderService & Sendable { FakeTagReader() }
}

final class FakeIAPManager: IAPManager {
    private let hub: EventHub<ProStatus>

    init(isProUser: Bool = false) { hub = EventHub(initial: ProStatus(isProUser: isProUser)) }

    var status: ProStatus { hub.snapshot ?? ProStatus(isProUser: false) }
    var statusUpdates: EventStream<ProStatus> { hub.stream() }
    func set(_ status: ProStatus) { hub.post(status) }
}

/// Keeps what it is given.
final class FakeStorage: PlayerStorage {
    private let kept = Mutex<[ViewPreferences]>([])
    private let refusal: String?

    init(refusing refusal: String? = nil) { self.refusal = refusal }

    var preferences: [ViewPreferences] { kept.withLock { $0 } }

    func save(_ preferences: ViewPreferences) async throws {
        if let refusal { throw FakePlayer.Refusal(description: refusal) }
        kept.withLock { $0.append(preferences) }
    }

    func save(_ entries: [PlaylistEntry], as path: String, replaces: Bool) async throws -> String {
        "/lists/\(path).m3u"
    }
}

/// A clock that stands still until a test moves it.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [(deadline: Instant, id: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
        var next: UInt64 = 0
        var cancelled: Set<UInt64> = []
    }

    private let state = Mutex(State())
    let minimumResolution = Duration.nanoseconds(1)
    var now: Instant { state.withLock { $0.now } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.contains(id) { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers.append((deadline, id, continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(id)
                return state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }
}
