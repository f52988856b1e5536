internal import CMpv
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
    private static let startLimit = 30.0
    /// Shorter losses at the end than this, in seconds, are left to the precision of durations.
    private static let endTolerance = 0.5

    private let logger: any LoggerPort
    private nonisolated let states = EventHub<EngineState>(initial: .idle)
    private var core: MpvCore
    private var listener: Task<Void, Never>?
    private var output = EngineOutput.pulse()
    private var rate = 1.0
    private var gain = 1.0

    /// The content; `nil` when there is none.
    private var url: URL?
    private var track: NowPlayingTrack?
    /// The length of the content in seconds.
    private var length: TimeInterval?
    /// Where content begins that mpv has not opened, in seconds; `nil` after its end.
    private var start: TimeInterval? = 0
    /// The position that mpv reported last, in seconds.
    private var position: TimeInterval = 0
    /// Where paused content was moved to, in seconds: mpv's position is exact only when it plays again.
    private var pausedTarget: TimeInterval?
    /// Counts loads, stops and pauses: an opening or a start from before the last one is not wanted any more.
    private var turn: UInt64 = 0
    /// Whether an operation changes the open file.
    private var isBusy = false
    /// The number of the file that was opened last; mpv's numbers rise.
    private var lastEntry: Int64 = 0
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// What mpv has reported of the file that is open, or is being opened.
    private var file: OpenFile?

    private struct OpenFile {
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
    private var problems: [String] = []

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
    private func replaceCore() throws {
        listener?.cancel()
        (file, lastEntry) = (nil, 0)
        let (core, events) = try Self.makeCore()
        self.core = core
        listen(to: events)
    }

    private func changed() {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }

    /// Waits for a condition on the engine's state.
    ///
    /// - Returns: Whether it became true in time. A cancelled task does not wait.
    private func wait(_ seconds: Double = startLimit, until isTrue: () -> Bool) async -> Bool {
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
    private func serially<Value>(_ operation: () async throws -> Value) async throws -> Value {
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

    private func applySettings() async throws {
        try await core.set("speed", "\(rate)")
        // mpv's volume is cubic: 50 is an eighth of the amplitude.
        try await core.set("volume", "\(100 * cbrt(gain))")
    }

    /// Tries what cannot be reported to the caller.
    private func attempt(_ what: String, _ operation: () async throws -> Void) async {
        do {
            try await operation()
        } catch {
            logger.warn("mpv: \(what): \(error)")
        }
    }

    // MARK: Content

    func loadContent(_ content: MediaContent) async throws {
        await stop()
        (url, track, length) = (nil, nil, nil)
        let turn = turn
        states.post(.loading)
        do {
            let url = try Self.address(of: content)
            try await serially {
                try checkTurn(turn)
                try await open(url, at: 0, on: nil, turn)
            }
            self.url = url
            await describe(url)
            try checkTurn(turn)
            states.post(.ready)
        } catch {
            if turn == self.turn {
                self.url = nil
                if error is CancellationError {
                    states.post(.idle)
                } else {
                    states.post(.failed(Self.coreError(error)))
                }
            }
            throw error
        }
    }

    private static func address(of content: MediaContent) throws -> URL {
        guard case .url(let url) = content else {
            throw CoreError.unsupported("mpv: it plays URLs; text needs a speech engine")
        }
        guard url.isFileURL || ["http", "https"].contains(url.scheme?.lowercased()) else {
            throw CoreError.unsupported(
                "\(AudioSource.url(url).name): mpv plays files and http and https addresses here")
        }
        return url
    }

    private func checkTurn(_ turn: UInt64) throws {
        try Task.checkCancellation()
        guard turn == self.turn else { throw CancellationError() }
    }

    /// Opens a file in mpv, paused at a position.
    ///
    /// - Parameters:
    ///   - position: Seconds from the beginning.
    ///   - device: The device to open with it; `nil` for none.
    ///   - turn: The load or start that wants it.
    private func open(_ url: URL, at position: TimeInterval, on device: EngineOutput?, _ turn: UInt64) async throws {
        if url.isFileURL { try await Self.checkFile(url) }
        do {
            try await core.set("pause", "yes")
        } catch is CoreError {
            // The core hangs in a sound server or a network.
            try replaceCore()
        }
        try await applySettings()
        try await setDevice(device)
        try await core.set("start", "\(position)")
        try checkTurn(turn)
        problems = []
        let name = url.isFileURL ? url.path : url.absoluteString
        // Its number is in the reply, which may come after the first events.
        file = OpenFile(entry: 0, device: device)
        guard case .entry(let entry) = try await core.run("loadfile", name, "replace") else {
            throw CoreError.ioError("mpv: loadfile has not told its playlist entry")
        }
        file?.entry = entry
        lastEntry = entry
        let isDone = await wait { turn != self.turn || file?.isLoaded == true || file?.end != nil }
        guard isDone, turn == self.turn, file?.isLoaded == true else {
            let end = file?.end
            file = nil
            if !isDone || turn != self.turn { await attempt("closing") { _ = try await core.run("stop") } }
            try checkTurn(turn)
            guard isDone else {
                throw CoreError.ioError(
                    "\(AudioSource.url(url).name): mpv has not opened it within \(Self.startLimit) s")
            }
            throw failure(of: end, url)
        }
        self.position = position
        pausedTarget = nil
        if length == nil, let seconds = await core.number("duration"), seconds > 0, seconds.isFinite {
            length = seconds
        }
    }

    /// Finds out why a file cannot be played before mpv does, whose words are "loading failed".
    private static func checkFile(_ url: URL) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            // A network file system may block.
            DispatchQueue(label: "descant.mpv.file").async {
                done.resume(
                    with: Result {
                        let files = LocalFileAccess()
                        files.close(try files.open(url: url))
                    })
            }
        }
    }

    private func describe(_ url: URL) async {
        func tag(_ name: String) async -> String? { await core.text("metadata/by-key/\(name)") }
        let number = file?.entry ?? 0
        track = NowPlayingTrack(
            id: .init(rawValue: "mpv\(number)"), url: url, title: await tag("title"),
            artists: await tag("artist").map { [$0] } ?? [], album: await tag("album"), duration: length)
    }

    // MARK: Errors

    private static func coreError(_ error: any Error) -> CoreError {
        error as? CoreError ?? .ioError(underlying: error)
    }

    /// The error of a file that was closed, with the first message of mpv and FFmpeg, which names the cause.
    private func failure(of end: MpvCore.End?, _ url: URL) -> CoreError {
        let name = AudioSource.url(url).name
        // Messages that repeat the address may hold a password.
        let cause = problems.first { !$0.contains(url.absoluteString) && !$0.hasPrefix("cplayer") }
        guard case .failed(let code) = end else { return .ioError("\(name): mpv has closed it") }
        let detail = cause.map { " (\($0))" } ?? ""
        switch mpv_error(code) {
        case MPV_ERROR_UNKNOWN_FORMAT:
            return .unsupported("\(name): mpv does not recognise its format; it may be damaged, or no audio\(detail)")
        case MPV_ERROR_NOTHING_TO_PLAY:
            return .decodeError("\(name): mpv finds no sound in it that it can decode\(detail)")
        case MPV_ERROR_AO_INIT_FAILED:
            return .ioError(
                "mpv cannot open \(output.name)\(detail); is the sound server running, and the device there?")
        case MPV_ERROR_LOADING_FAILED where cause?.contains("HTTP error 404") == true:
            return .notFound("\(name): the server does not have it\(detail)")
        default:
            return .ioError("\(name): mpv: \(String(cString: mpv_error_string(code)))\(detail)")
        }
    }

    // MARK: Playing

    func play() async throws {
        guard url != nil else { throw CoreError.invalidState("mpv: nothing is loaded; call loadContent first") }
        let turn = turn
        try await serially {
            try checkTurn(turn)
            guard engineState != .playing, engineState != .buffering else { return }
            do {
                try await begin(turn)
            } catch {
                // What was ready or paused still is; mpv opens it again with the next attempt.
                if turn == self.turn { await attempt("pausing") { try await core.set("pause", "yes") } }
                throw error
            }
        }
    }

    private func begin(_ turn: UInt64) async throws {
        guard let url else { throw CoreError.invalidState("mpv: nothing is loaded; call loadContent first") }
        let device = output
        if file == nil {
            try await open(url, at: start ?? 0, on: device, turn)
        } else if file?.device == nil {
            problems = []
            let place = await currentTime
            try await setDevice(device)
            file?.device = device
            // The silent output has taken the first samples.
            if file != nil { try await move(to: place) }
        }
        try checkTurn(turn)
        try await core.set("pause", "no")
        let isDone = await wait {
            guard turn == self.turn, let file, file.end == nil else { return true }
            return file.waitsForData || !file.isIdle && file.audioOutput == device.driver
        }
        try checkTurn(turn)
        guard let file, file.end == nil else {
            if case .finished? = self.file?.end {
                // Short content, or the rest of a longer one, is over before the start is reported.
                states.post(.playing)
                return ended()
            }
            let error = failure(of: self.file?.end, url)
            start = position
            self.file = nil
            throw error
        }
        guard isDone else { throw CoreError.ioError("mpv: no sound from \(device.name) within \(Self.startLimit) s") }
        pausedTarget = nil
        states.post(file.waitsForData && file.isIdle ? .buffering : .playing)
    }

    private func setDevice(_ device: EngineOutput?) async throws {
        switch device {
        case .pulse(let sink, let latency, let server)?:
            try await core.set("pulse-host", server ?? "")
            try await core.set("pulse-buffer", "\(latency.isFinite ? Int(1_000 * min(2, max(0.03, latency))) : 200)")
            try await core.set("audio-device", sink.map { "pulse/\($0)" } ?? "auto")
        case .alsa(let name)?: try await core.set("audio-device", name.map { "alsa/\($0)" } ?? "auto")
        case .null?, nil: try await core.set("audio-device", "auto")
        }
        try await core.set("ao", (device ?? .null).driver)
    }

    func pause() async {
        switch engineState {
        case .playing, .buffering: break
        default:
            // A start that is being tried ends.
            guard isBusy, url != nil, engineState != .loading else { return }
        }
        turn += 1
        changed()
        let wasPlaying = [.playing, .buffering].contains(engineState)
        if wasPlaying { states.post(.paused) }
        await attempt("pausing") { try await core.set("pause", "yes") }
    }

    func stop() async {
        turn += 1
        changed()
        (start, position) = (0, 0)
        let wasOpen = file != nil
        file = nil
        if engineState != .idle { states.post(.idle) }
        if wasOpen { await attempt("stopping") { _ = try await core.run("stop") } }
    }

    func seek(to position: MediaPosition) async throws {
        guard url != nil else { throw CoreError.invalidState("mpv: nothing is loaded; call loadContent first") }
        let turn = turn
        try await serially {
            guard turn == self.turn || url != nil else { throw CancellationError() }
            let seconds = try seconds(at: position)
            guard let file, file.isLoaded else {
                start = seconds
                return
            }
            guard file.isSeekable else {
                throw CoreError.unsupported(
                    "\(url.map { AudioSource.url($0).name } ?? ""): it cannot be moved to another position")
            }
            try await move(to: seconds)
        }
    }

    private func seconds(at position: MediaPosition) throws -> TimeInterval {
        let seconds = try position.seconds(duration: length, engine: identifier)
        // Without a length, 2^31 s are further than any content.
        return min(max(0, seconds), length ?? Double(1 << 31))
    }

    /// Moves the open file, and waits until mpv is there.
    private func move(to seconds: TimeInterval) async throws {
        let restarts = file?.restarts ?? 0
        do {
            try await core.run("seek", "\(seconds)", "absolute+exact")
        } catch let error as CoreError {
            // A file that has just ended, for instance because its device cannot be opened, cannot be moved.
            guard await wait(1, until: { file?.end != nil || file == nil }) else { throw error }
            return
        }
        position = seconds
        pausedTarget = engineState == .playing ? nil : seconds
        _ = await wait(MpvCore.limit) { file?.end != nil || file == nil || (file?.restarts ?? 0) > restarts }
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

    private func clamped(_ seconds: TimeInterval) -> TimeInterval {
        seconds.isFinite ? min(max(0, seconds), length ?? .greatestFiniteMagnitude) : position
    }

    var duration: TimeInterval? { length }

    var currentTrack: NowPlayingTrack? { track }

    // MARK: Events

    private func handle(_ event: MpvCore.Event) {
        switch event {
        case .problem(let text, let isError):
            // FFmpeg gives the answer of a web server as a warning.
            guard isError || text.contains("HTTP error") else { break }
            if problems.count < 16 { problems.append(text) }
            if file?.isLoaded == true, text.hasPrefix("ffmpeg/audio") || text.hasPrefix("ad:") {
                file?.isDamaged = true
            }
        case .loaded(let entry): if isPresent(entry) { file?.isLoaded = true }
        case .ended(let entry, let end): if isPresent(entry) { note(end) }
        case .restarted: file?.restarts += 1
        case .flag(.idle, let isIdle): file?.isIdle = isIdle
        case .flag(.waitsForData, let waits): file?.waitsForData = waits
        case .flag(.isSeekable, let isSeekable): file?.isSeekable = isSeekable
        case .number(.duration, let seconds): if let seconds, seconds > 0, seconds.isFinite { length = seconds }
        case .number(.position, let seconds):
            if let seconds, file != nil, pausedTarget == nil { position = clamped(seconds) }
        case .audioOutput(let name): file?.audioOutput = name
        case .shutDown: note(.stopped)
        }
        follow()
        changed()
    }

    /// Whether an event belongs to the file that is open or being opened.
    private func isPresent(_ entry: Int64) -> Bool {
        file.map { $0.entry == entry || $0.entry == 0 && entry > lastEntry } ?? false
    }

    /// Follows mpv while it plays.
    private func follow() {
        guard let file, file.end == nil, !isBusy else { return }
        switch engineState {
        case .playing where file.waitsForData: states.post(.buffering)
        case .buffering where !file.waitsForData && !file.isIdle: states.post(.playing)
        default: break
        }
    }

    private func note(_ end: MpvCore.End) {
        file?.end = end
        // A start or an opening in progress handles the end itself; what it leaves follows behind it.
        guard !isBusy else { return }
        ended()
    }

    /// The open file has ended by itself.
    private func ended() {
        guard let url, let file, let end = file.end else { return }
        let wasPaused = engineState == .paused || engineState == .ready
        self.file = nil
        switch end {
        case .finished where wasPaused: start = position
        case .finished:
            if file.isDamaged, let length, position < length - Self.endTolerance {
                start = position
                let detail = problems.first { $0.hasPrefix("ffmpeg/audio") } ?? "mpv cannot decode it"
                let place = (position * 10).rounded() / 10
                states.post(.failed(.decodeError("\(AudioSource.url(url).name): damaged at \(place) s (\(detail))")))
            } else {
                start = nil
                states.post(.finished)
            }
        case .stopped, .failed:
            start = position
            states.post(.failed(failure(of: end, url)))
        }
    }
}

extension EngineOutput {
    /// mpv's name of the audio output.
    fileprivate var driver: String {
        switch self {
        case .pulse: "pulse"
        case .alsa: "alsa"
        case .null: "null"
        }
    }

    /// What errors call it.
    fileprivate var name: String {
        switch self {
        case .pulse(let device, _, let server):
            "PulseAudio\(server.map { " at \($0)" } ?? "")\(device.map { ", device \"\($0)\"" } ?? "")"
        case .alsa(let device): "the ALSA device \"\(device ?? "default")\""
        case .null: "the silent output"
        }
    }
}
