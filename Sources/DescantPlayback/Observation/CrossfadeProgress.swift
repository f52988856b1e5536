public import DescantCore
public import Foundation

/// How far a crossfade of two tracks was heard.
public struct CrossfadeProgress: Sendable, Hashable {
    /// What a crossfade is doing.
    public enum Phase: Sendable, Hashable {
        /// There is no crossfade.
        case idle
        /// Both tracks sound, or are frozen by a pause; the share of the crossfade that was heard, 0…1.
        case fading(progress: Double)
    }

    /// Length of the crossfade in seconds, as it was planned; 0 when there is none.
    public let duration: TimeInterval
    /// Seconds of it that were heard. A crossfade that is hurried ends before ``duration``.
    public let elapsed: TimeInterval

    /// Creates a progress.
    ///
    /// - Parameters:
    ///   - duration: Length of the crossfade in seconds.
    ///   - elapsed: Seconds of it that were heard.
    public init(duration: TimeInterval, elapsed: TimeInterval) {
        self.duration = duration
        self.elapsed = elapsed
    }

    /// No crossfade.
    public static let idle = CrossfadeProgress(duration: 0, elapsed: 0)

    /// What the crossfade is doing.
    public var phase: Phase { isActive ? .fading(progress: progress) : .idle }

    /// Whether a crossfade is running, frozen ones included.
    public var isActive: Bool { duration > 0 }

    /// The share of the crossfade that was heard, 0…1.
    public var progress: Double { duration > 0 ? min(1, elapsed / duration) : 0 }
}

/// An observer that is also told how far crossfades are.
public protocol CrossfadeProgressObserver: AudioPlayerObserver {
    /// Another 0.05 s of a crossfade were heard, or it is over.
    ///
    /// - Parameter progress: How far it is; ``CrossfadeProgress/idle`` once it is over.
    func crossfadeProgressDidUpdate(_ progress: CrossfadeProgress) async
}

extension AudioPlayerService {
    /// The running crossfade of two tracks, as heard; ``CrossfadeProgress/idle`` when there is none.
    public var crossfadeProgress: CrossfadeProgress {
        get async {
            let status = await engine.status(of: engine.mainLayer)
            guard status.isCrossfading, let crossfade = main.crossfade, crossfade.to == status.deck else {
                return .idle
            }
            let duration = engine.mixFormat.seconds(of: crossfade.frames)
            return CrossfadeProgress(duration: duration, elapsed: max(0, duration - status.crossfadeRemaining))
        }
    }

    /// How far the running crossfade was heard, every 0.05 s, and ``CrossfadeProgress/idle`` at its end; begins with the present
    /// one, `idle` when there is none. A slow reader gets the newest only, unless it asks for a buffer.
    public nonisolated var crossfadeUpdates: EventStream<CrossfadeProgress> {
        let hub = EventHub<CrossfadeProgress> { [weak self] hub in
            Task { [weak self] in
                guard let self else { return hub.finish() }
                await self.addCrossfadeReader(hub)
            }
        }
        return hub.stream(buffer: .newest)
    }

    private func addCrossfadeReader(_ hub: EventHub<CrossfadeProgress>) async {
        crossfades.add(hub)
        hub.post(await crossfadeProgress)
        followCrossfade()
    }

    /// Begins to report the progress of a crossfade, or its end, to those who read it.
    func followCrossfade() {
        guard main.crossfade != nil, crossfades.hasReaders else { return }
        let clock = clock
        crossfades.follow(
            with: Task { [weak self] in
                while let self, await self.reportCrossfade() {
                    do {
                        try await clock.sleep(until: clock.now() + CrossfadeObservation.interval)
                    } catch {
                        return  // Another task reports from here on.
                    }
                }
            })
    }

    /// Reports the progress of the crossfade, if it has changed.
    ///
    /// - Returns: Whether it goes on changing.
    private func reportCrossfade() async -> Bool {
        let progress = await crossfadeProgress
        guard !Task.isCancelled else { return false }
        if crossfades.report(progress) { hubs.observers.post(.crossfade(progress)) }
        return progress.isActive && (state == .playing || state == .fadingOut) && crossfades.hasReaders
    }
}

/// The readers of the progress of crossfades, and the task that reports it to them.
struct CrossfadeObservation {
    /// The time between two reports, in nanoseconds.
    static let interval: UInt64 = 50_000_000

    /// Whether an observer reads it.
    var hasObserver = false
    private var readers: [EventHub<CrossfadeProgress>] = []
    private var reported = CrossfadeProgress.idle
    private var task: Task<Void, Never>?

    /// Whether anyone reads it.
    var hasReaders: Bool { hasObserver || readers.contains { $0.subscriberCount > 0 } }

    /// Adds a reader, and forgets those that do not read any more.
    mutating func add(_ reader: EventHub<CrossfadeProgress>) {
        readers.removeAll { $0 === reader || $0.subscriberCount == 0 }
        readers.append(reader)
    }

    /// Notes the task that reports, in the place of an earlier one.
    mutating func follow(with task: Task<Void, Never>) {
        self.task?.cancel()
        self.task = task
    }

    /// Posts a progress to the readers.
    ///
    /// - Returns: Whether it differs from the last one.
    mutating func report(_ progress: CrossfadeProgress) -> Bool {
        guard progress != reported else { return false }
        reported = progress
        for reader in readers { reader.post(progress) }
        return true
    }

    /// Ends every reader's sequence and the task.
    func finish() {
        task?.cancel()
        for reader in readers { reader.finish() }
    }
}
