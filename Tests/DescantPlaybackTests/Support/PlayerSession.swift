import DescantCore
import DescantPlayback
import DescantTestSupport
import DescantTesting
import Foundation

/// A player on the engine in memory, and its events.
///
/// Tracks are constant levels, so every rendered sample shows the gains of its tracks.
struct PlayerSession {
    static let format = PCMFormat(sampleRate: 8_000, channels: 1)

    let manual: ManualMixingEngine
    let clock: ManualClock
    let player: AudioPlayerService
    let states: EventRecorder<PlayerState>
    let events: EventRecorder<PlayerEvent>

    init(_ manual: ManualMixingEngine = .offline(format: PlayerSession.format)) async {
        self.manual = manual
        clock = ManualClock()
        player = AudioPlayerService(engine: manual.engine, clock: clock)
        states = EventRecorder(player.stateUpdates)
        events = EventRecorder(player.events)
        await player.setup()
    }

    /// A session whose device is simulated by the test.
    static func realTime() async -> PlayerSession { await PlayerSession(.realTime(format: format)) }

    static func url(_ name: String) -> URL { URL(fileURLWithPath: "/music/\(name).wav") }

    /// Makes a track.
    @discardableResult
    func track(_ name: String, level: Float = 0.25, seconds: Double, fault: DeckFault? = nil) -> URL {
        let frames = Int((seconds * Double(Self.format.sampleRate)).rounded())
        let content = SampleBuffer(format: Self.format, samples: [Float](repeating: level, count: frames))
        let url = Self.url(name)
        manual.decks.register(content, for: url, fault: fault)
        return url
    }

    /// Makes a track that opens when its name is released.
    func slowTrack(_ name: String = "slow", level: Float = 0.25, seconds: Double = 20) -> URL {
        var fault = DeckFault()
        fault.opensOnRelease = true
        return track(name, level: level, seconds: seconds, fault: fault)
    }

    /// Waits until the opening of a track has begun, for the n-th time.
    func waitForOpening(of url: URL, count: Int = 1) async {
        // A cancelled test has exceeded its time limit.
        while manual.decks.openedNames.count(where: { $0 == url.path }) < count, !Task.isCancelled {
            await Task.yield()
        }
    }

    /// Renders, or steps the device.
    @discardableResult
    func advance(_ seconds: Double) async throws -> Int64 {
        let frames = Int64((seconds * Double(Self.format.sampleRate)).rounded())
        if manual.output.isOffline { return try await manual.engine.advance(frames: frames, untilIdle: nil) }
        return Int64(await manual.output.step(frames: Int(frames)))
    }

    /// Renders until the main layer has ended.
    func finish(limit: Double = 600) async throws {
        let frames = Int64(limit * Double(Self.format.sampleRate))
        _ = try await manual.engine.advance(frames: frames, untilIdle: manual.engine.mainLayer)
    }

    /// One sample of the mix; NaN beyond the rendered frames.
    func sample(at seconds: Double) -> Float {
        let samples = manual.rendered.samples
        let index = Int((seconds * Double(Self.format.sampleRate)).rounded())
        return samples.indices.contains(index) ? samples[index] : .nan
    }

    /// The rendered duration, in seconds.
    var renderedSeconds: Double { manual.rendered.duration }

    /// Waits until the player reports a state.
    func wait(for state: PlayerState) async throws {
        // Only the newest state is checked.
        try await states.wait { (states: [PlayerState]) in states.last == state }
        // Events and states have separate streams; the stream of states begins with the initial state.
        let changes = states.all.count - 1
        try await events.wait { (events: [PlayerEvent]) in
            events.count { if case .stateChanged = $0.kind { true } else { false } } >= changes
        }
    }

    /// Waits until a track's first frame was reported, for the n-th time.
    func waitForStart(of url: URL, count: Int = 1) async throws {
        try await events.wait { (events: [PlayerEvent]) in
            events.filter { if case .trackStarted(url, _, _) = $0.kind { true } else { false } }.count >= count
        }
    }

    /// The tracks in the order in which they started, with the frame.
    var starts: [(url: URL, frame: Int64)] {
        events.all.compactMap { event in
            guard case .trackStarted(let url, _, _) = event.kind, let frame = event.frame else { return nil }
            return (url, frame)
        }
    }

    /// The transitions in their order.
    var transitions: [(kind: PlayerEvent.Transition, start: Int64, frames: Int64)] {
        events.all.compactMap { event in
            guard case .transitionStarted(_, _, let kind, let frames) = event.kind, let start = event.frame else {
                return nil
            }
            return (kind, start, frames)
        }
    }

    /// The numbers of tracks after the changes of the playlist.
    var playlistChanges: [Int] {
        events.all.compactMap { if case .playlistChanged(let count) = $0.kind { count } else { nil } }
    }

    /// The tracks that failed, with their errors.
    var failures: [AudioPlayerError] {
        events.all.compactMap { if case .trackFailed(_, let error) = $0.kind { error } else { nil } }
    }
}
