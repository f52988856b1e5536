internal import Descant
internal import Foundation

/// An engine on libmpv: files and web addresses through mpv's own decoders, filters and audio output.
///
/// It opens a sound device itself when it is played, so it takes no part in the host's mixer: no overlays, no effects, no crossfades.
/// mpv's configuration, scripts, key bindings, terminal, windows and helper programs are off. Rates are 0.25…4.
actor MpvEngine: DeviceEngine, EngineTrackReporting {
    nonisolated let identifier = "mpv"
    nonisolated let capabilities: EngineCapabilities = [.playsURLs, .seeks, .changesRate]
    nonisolated var stateUpdates: EventStream<EngineState> { states.stream(buffer: .bounded(64)) }

    private static let rates = 0.25...4.0
    /// How long mpv may take to open content or a device, in seconds.
    static let startLimit = 30.0
    /// Shorter losses at the end than this, in seconds, are left to the precision of durations.
    static let endTolerance = 0.5

    private let logger: any LoggerPort
    nonisolated let states = EventHub<EngineState>(initial: .idle)
    var core: MpvCore
    private var listener: Task<Void, Never>?
    var output = EngineOutput.pulse()
    private var rate = 1.0
    private var gain = 1.0

    /// The content; `nil` when there is none.
    var url: URL?
    var track: NowPlayingTrack?
    /// The length of the content in seconds.
    var length: TimeInterval?
    /// Where content begins that mpv has not opened, in seconds; `nil` after its end.
    var start: TimeInterval? = 0
    /// The position that mpv reported last, in seconds.
    var position: TimeInterval = 0
    /// Where paused content was moved to, in seconds: mpv's position is exact only when it plays again.
    var pausedTarget: TimeInterval?
    /// Counts loads, stops and pauses: an opening or a start from before the last one is not wanted any more.
    var turn: UInt64 = 0
    /// Whether an operation changes the open file.
    var isBusy = false
    /// The number of the file that was opened last; mpv's numbers rise.
    var lastEntry: Int64 = 0
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// What mpv has reported of the file that is open, or is being opened.
    var file: OpenFile?

    struct OpenFile {
        var entry: Int64
        var isLoaded = false
        var isIdle = true
        var waitsForData = false
        var isSeekable = true
        var audioOutput: String?
        /// Counts the positions at which playing began.
        var restarts = 0
        /// The output that the file was opened with or moved to; `nil` for the silent one before the first play.
        var device: EngineOutput?
        var end: MpvCore.End?
        /// Whether mpv has reported an error in the data.
        var isDamaged = false
    }

    /// What mpv and FFmpeg have reported since the last load or start.
    var problems: [String] = []

    init(logger: any LoggerPort) throws {
        self.logger = logger
        let (core, events) = try Self.makeCore()
        self.core = core
        Task { [weak self] in await self?.listen(to: events) }
    }

    deinit {
        listener?.cancel()
        states.finish()
    }

    // MARK: The core

    private static func makeCore() throws -> (MpvCore, AsyncStream<MpvCore.Event>) {
        let (events, feed) = AsyncStream.makeStream(of: MpvCore.Event.self)
        return (try MpvCore(options: options) { feed.yield($0) }, events)
    }

    /// Everything that the command line player does by itself is off.
    private static let options = [
        ("config", "no"), ("load-scripts", "no"), ("load-stats-overlay", "no"), ("load-osd-console", "no"),
        ("load-console", "no"),
        ("load-select", "no"),
        ("load-auto-profiles", "no"), ("osc", "no"), ("ytdl", "no"), ("terminal", "no"), ("input-terminal", "no"),
        ("input-default-bindings", "no"), ("input-builtin-bindings", "no"), ("input-vo-keyboard", "no"),
        ("input-media-keys", "no"), ("vid", "no"), ("sid", "no"), ("vo", "null"), ("force-window", "no"),
        ("audio-display", "no"), ("osd-level", "0"), ("resume-playback", "no"),
        // Only the content itself is opened: no covers, subtitles or sound beside it, and no entries of playlists.
        ("autoload-files", "no"), ("cover-art-auto", "no"), ("access-references", "no"), ("ordered-chapters", "no"),
        ("load-unsafe-playlists", "no"), ("demuxer", "lavf"),
        // The end is reported when it was heard.
        ("idle", "yes"), ("keep-open", "no"), ("gapless-audio", "no"), ("replaygain", "no"), ("hr-seek", "yes"),
        ("audio-fallback-to-null", "no"), ("audio-client-name", ProcessInfo.processInfo.processName),
        ("network-timeout", "5"), ("ao", "null"), ("pause", "yes"),
    ]

    private func listen(to events: AsyncStream<MpvCore.Event>) {
        listener = Task { [weak self] in for await event in events { await self?.handle(event) } }
    }

    /// Replaces a core that does not answer. The old one ends when its sound server or network answers again.
    func replaceCore() throws {
        listener?.cancel()
        (file, lastEntry) = (nil, 0)
        let (core, events) = try Self.makeCore()
        self.core = core
        listen(to: events)
    }

    func changed() {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }

    /// Waits for a condition on the engine's state.
    ///
    /// - Returns: Whether it became true in time. A cancelled task does not wait.
    func wait(_ seconds: Double = startLimit, until isTrue: () -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        let timer = Task {
            // A cancelled timer wakes as well; conditions are checked again.
            try? await Task.sleep(until: deadline)
            changed()
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            while !isTrue() {
                guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
                await withCheckedContinuation { waiters.append($0) }
            }
            return true
        } onCancel: {
            Task { await self.changed() }
        }
    }

    /// Runs an operation that changes the open file, after the one before.
    func serially<Value>(_ operation: () async throws -> Value) async throws -> Value {
        guard await wait(2 * Self.startLimit, until: { !isBusy }) else {
            try Task.checkCancellation()
            throw CoreError.ioError("mpv: an earlier command has not ended within \(2 * Self.startLimit) s")
        }
        isBusy = true
        defer {
            isBusy = false
            // An end that came meanwhile and that the operation has not dealt with, as a seek to the end brings it.
            if file?.end != nil { ended() }
            changed()
        }
        return try await operation()
    }

    // MARK: Settings

    func setOutput(_ output: EngineOutput) { self.output = output }

    func setGain(_ gain: Double) async {
        guard gain.isFinite else { return }
        self.gain = min(1, max(0, gain))
        await attempt("the gain") { try await applySettings() }
    }

    func setRate(_ rate: Double) async throws {
        guard Self.rates.contains(rate) else {
            throw CoreError.invalidArgument("mpv: a rate of \(rate); 0.25 to 4 are possible")
        }
        self.rate = rate
        try await applySettings()
    }

    func applySettings() async throws {
        try await core.set("speed", "\(rate)")
        // mpv's volume is cubic: 50 is an eighth of the amplitude.
        try await core.set("volume", "\(100 * cbrt(gain))")
    }

    /// Tries what cannot be reported to the caller.
    func attempt(_ what: String, _ operation: () async throws -> Void) async {
        do {
            try await operation()
        } catch {
            logger.warn("mpv: \(what): \(error)")
        }
    }

    // MARK: State

    var engineState: EngineState { states.snapshot ?? .idle }

    var currentTime: TimeInterval {
        get async {
            guard let file, file.isLoaded, file.end == nil else { return start ?? length ?? position }
            if let pausedTarget, engineState != .playing { return clamped(pausedTarget) }
            // The position that is heard; not there while mpv moves or waits.
            if let heard = await core.number("audio-pts") { return clamped(heard) }
            return clamped(position)
        }
    }

    func clamped(_ seconds: TimeInterval) -> TimeInterval {
        seconds.isFinite ? min(max(0, seconds), length ?? .greatestFiniteMagnitude) : position
    }

    var duration: TimeInterval? { length }

    var currentTrack: NowPlayingTrack? { track }
}

extension EngineOutput {
    /// mpv's name of the audio output.
    var driver: String {
        switch self {
        case .pulse: "pulse"
        case .alsa: "alsa"
        case .null: "null"
        }
    }

    /// What errors call it.
    var name: String {
        switch self {
        case .pulse(let device, _, let server):
            "PulseAudio\(server.map { " at \($0)" } ?? "")\(device.map { ", device \"\($0)\"" } ?? "")"
        case .alsa(let device): "the ALSA device \"\(device ?? "default")\""
        case .null: "the silent output"
        }
    }
}
