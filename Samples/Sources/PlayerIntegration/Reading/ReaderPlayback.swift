public import Descant
internal import Foundation
public import PlayerApp
internal import Synchronization

/// The app's reader on the library's `MediaPlaybackController`.
public final class ReaderPlayback: ReaderControlling {
    /// The changes, for one reader.
    public let updates: AsyncStream<ReaderUpdate>

    let feed: AsyncStream<ReaderUpdate>.Continuation
    let controller: MediaPlaybackController
    let environment: AudioEnvironment
    let request: ReadRequest
    private let voices: ReaderVoices
    /// The engine to begin with.
    private let first: String
    let bridge = Mutex<RemoteControlBridge?>(nil)
    /// What remote controls see of the reader.
    let remote: ReaderRemote
    private let tasks = Mutex<[Task<Void, Never>]>([])
    /// The place that was heard last, in UTF-8 bytes.
    private let place: Mutex<Int>
    private let keeper: PlaceKeeper?
    /// Engines that could not be created or could not speak.
    private let unusable = Mutex<Set<String>>([])
    private let hasEnded = Mutex(false)
    /// The start without the kept voice, once it was needed.
    private let replacement = Mutex<Task<Void, any Error>?>(nil)
    /// What the controller was doing last.
    private let activity = Mutex(MediaPlaybackState.Activity.idle)

    /// Creates a reader; engines are created by ``start()``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - environment: Which synthesizers there are.
    /// - Throws: ``InputError`` when there is no such synthesizer, or none at all; `PluginError` when its licence is
    ///   refused.
    public init(_ request: ReadRequest, environment: AudioEnvironment) throws {
        let first = try SynthesizerChoice(request.engine, in: environment.plugins).name
        // When the view reads too slowly, the oldest updates are dropped.
        (updates, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
        let (engines, made) = AsyncStream.makeStream(of: SpeechEngine.self)
        voices = ReaderVoices(
            environment, output: request.output, settings: request.settings, first: first,
            onMade: { made.yield($0) })
        controller = MediaPlaybackController(
            catalog: voices.catalog, session: environment.session(for: request.output),
            selection: MemoryEngineSelection(first), policy: .onDemand, clock: environment.clock,
            logger: environment.logger)
        remote = ReaderRemote(controller, volume: request.volume)
        self.environment = environment
        self.request = request
        self.first = first
        place = Mutex(request.start)
        keeper = request.positions.map { [feed] positions in
            PlaceKeeper(request, in: positions) { feed.yield(.notice(Notice(.warning, $0))) }
        }
        follow(engines)
    }

    /// Loads the book and begins to read.
    ///
    /// - Throws: Why the engine cannot be made, or nothing can be heard; `CancellationError` when it was stopped meanwhile.
    public func start() async throws {
        let book = request.book
        let chapters = book.chapters.isEmpty ? [Book.Chapter(title: book.title, start: 0)] : book.chapters
        try await controller.loadContent(
            .text(book.text, language: book.language),
            sections: chapters.map {
                MediaSection(title: $0.title, start: .characterOffset(book.characterOffset(of: $0.start)))
            })
        try await controller.setRate(request.settings.rate)
        feed.yield(.rate(request.settings.rate))
        // The mixer begins at full volume.
        if remote.volume < 1 { try await applyVolume(remote.volume) }
        if request.start > 0 { try await seek(to: request.start) }
        if request.isRemoteControlled {
            let made = makeBridge()
            bridge.withLock { $0 = made }
            await made.start()
        }
        guard !hasEnded.withLock({ $0 }) else { throw CancellationError() }
        do {
            try await controller.play()
        } catch let error as CancellationError {
            // A command that arrived meanwhile, such as a pause or another engine, takes precedence.
            guard !hasEnded.withLock({ $0 }) else { throw error }
        } catch {
            guard await readsWithoutKeptVoice() else {
                // Another engine or voice can be chosen.
                await tellVoice()
                throw error
            }
            return
        }
        await tellVoice()
    }

    /// Handles the failure of a voice that was kept with the place and has been removed since: the engine's default
    /// voice is started, once. A slow engine fails only after ``start()``, so both that and the controller's state lead
    /// here.
    ///
    /// - Returns: Whether that was the failure, and it is over.
    private func readsWithoutKeptVoice() async -> Bool {
        guard let voice = request.keptVoice, let engine = voices.engine(first) else { return false }
        var isMissing = false
        if case .failed(.notFound) = await engine.engineState { isMissing = await engine.settings.voice == voice }
        guard isMissing || replacement.withLock({ $0 != nil }) else { return false }
        let task = replacement.withLock { task -> Task<Void, any Error> in
            let made = task ?? Task { try await self.replaceVoice(voice, of: engine) }
            task = made
            return made
        }
        _ = await task.result
        return await controller.state.activity != .failed
    }

    private func replaceVoice(_ voice: String, of engine: SpeechEngine) async throws {
        guard !hasEnded.withLock({ $0 }) else { throw CancellationError() }
        var settings = await engine.settings
        settings.voice = nil
        try await engine.apply(settings)
        feed.yield(
            .notice(Notice(.warning, "\(engine.identifier) has no voice \(voice) any more; its default voice reads")))
        // The voice is stored with every place, so it is told before one is heard.
        await tellVoice()
        try await controller.play()
    }

    // MARK: Commands

    /// Pauses or resumes the reading.
    public func togglePause() async throws {
        try await controller.togglePlayPause()
        keep(await heard())
    }

    /// Pauses the reading; harmless when nothing is read.
    public func pause() async {
        await controller.pause()
        keep(await heard())
    }

    /// Moves to a place.
    ///
    /// - Parameter place: The place, in UTF-8 bytes of the text; clamped to the text.
    public func go(to place: Int) async throws {
        try await seek(to: min(max(0, place), request.book.length))
        await tellPlace()
    }

    /// Moves in the text.
    ///
    /// - Parameters:
    ///   - step: The unit.
    ///   - forward: Whether forward; backward otherwise.
    public func move(by step: ReaderStep, forward: Bool) async throws {
        let book = request.book
        switch step {
        case .sentence: try await forward ? controller.nextSentence() : controller.previousSentence()
        case .paragraph:
            try await move(among: book.paragraphs.map(\.lowerBound), forward: forward, "there is no other paragraph")
        case .chapter:
            try await move(among: book.chapters.map(\.start), forward: forward, "there is no other chapter")
        }
        await tellPlace()
    }

    /// Moves to the next of several places, or backward: to the beginning of the present one after its first sentence,
    /// else to the previous one.
    private func move(among starts: [Int], forward: Bool, _ refusal: String) async throws {
        let book = request.book
        // What has no words, such as a line of asterisks, leads to the sentence behind it.
        let starts = starts.compactMap { start in
            book.sentenceIndex(at: start).map { book.sentences[$0].lowerBound }
        }
        let here = await heard()
        let sentence = book.sentenceIndex(at: here).map { book.sentences[$0].lowerBound } ?? book.length
        let target = forward ? starts.first { $0 > here } : starts.last { $0 < sentence }
        guard let target else { throw InputError(description: refusal) }
        try await seek(to: target)
    }

    private func seek(to place: Int) async throws {
        try await controller.seek(to: .characterOffset(request.book.characterOffset(of: place)))
        self.place.withLock { $0 = place }
    }

    /// Sets the speed.
    ///
    /// - Parameter rate: 1 is normal.
    public func setRate(_ rate: Double) async throws {
        try await controller.setRate(rate)
    }

    /// Sets the volume.
    ///
    /// - Parameter volume: 0…1.
    public func setVolume(_ volume: Double) async {
        do {
            // By way of the remote controls, which show the volume.
            if let bridge = bridge.withLock({ $0 }) { return try await bridge.perform(.setVolume(volume)) }
            try await applyVolume(volume)
        } catch {
            feed.yield(.notice(Notice(.warning, "\(error)")))
        }
    }

    func applyVolume(_ volume: Double) async throws {
        try await voices.setVolume(volume)
        remote.note(volume: volume)
        keeper?.note(volume: volume)
        feed.yield(.volume(volume))
    }

    /// Continues with the next available synthesizer.
    public func useNextEngine() async throws {
        let names = voices.names(behind: await controller.state.engine ?? first)
        var reasons: [String] = []
        for name in names where !unusable.withLock({ $0.contains(name) }) {
            do {
                try await controller.selectEngine(name)
                return await tellVoice()
            } catch let error as CancellationError {
                throw error
            } catch {
                // The engine is not tried again, because every attempt interrupts the reading.
                unusable.withLock { _ = $0.insert(name) }
                reasons.append("\(error)")
                feed.yield(.notice(Notice(.warning, "\(error)")))
            }
        }
        guard reasons.isEmpty else { return }
        throw InputError(description: "there is no other engine that can be used; see: descant plugins")
    }

    /// Continues with a synthesizer.
    ///
    /// - Parameter name: Its identifier.
    public func useEngine(_ name: String) async throws {
        try await controller.selectEngine(name)
        await tellVoice()
    }

    /// Continues with a voice of the synthesizer.
    ///
    /// - Parameter identifier: The voice's identifier.
    public func useVoice(_ identifier: String) async throws {
        // Waits for an engine that is being made.
        guard let engine = voices.engine(try await controller.prepareSettings()) else {
            throw InputError(description: "no engine is ready yet")
        }
        var settings = await engine.settings
        settings.voice = identifier
        try await engine.apply(settings)
        await tellVoice()
    }

    /// Continues with the next voice of the synthesizer, those of the book's language first.
    public func useNextVoice() async throws {
        // Waits for an engine that is being made.
        guard let engine = voices.engine(try await controller.prepareSettings()) else {
            throw InputError(description: "no engine is ready yet")
        }
        let voices = try await choice(of: engine)
        var settings = await engine.settings
        let present = voices.firstIndex { $0.identifier == settings.voice }
        guard voices.count > 1 else { throw InputError(description: "\(engine.identifier) has no other voice") }
        let next = voices[present.map { ($0 + 1) % voices.count } ?? (settings.voice == nil ? 1 : 0)]
        settings.voice = next.identifier
        try await engine.apply(settings)
        await tellVoice()
    }

    /// The voices for the book's language, or else for the user's language; all voices when there are none.
    private func choice(of engine: SpeechEngine) async throws -> [SpeechVoice] {
        let all = try await engine.voices()
        let language = request.book.language ?? Locale.current.language.languageCode?.identifier
        guard let wanted = language?.split(separator: "-").first?.lowercased() else { return all }
        let fitting = all.filter { voice in
            voice.languages.contains { $0.split(separator: "-").first?.lowercased() == wanted }
        }
        return fitting.isEmpty ? all : fitting
    }

    /// Stops, keeps the place and releases the device.
    public func stop() async {
        guard !hasEnded.withLock({ ended in (ended, ended = true).0 }) else { return }
        keeper?.keep(await heard())
        for task in tasks.withLock({ $0 }) { task.cancel() }
        let bridge = bridge.withLock { $0 }
        await controller.stop()
        await bridge?.close()
        await voices.shutdown()
        // Nothing is heard while the disk is waited for.
        await keeper?.finish()
        feed.finish()
    }

    // MARK: Updates

    private func follow(_ engines: AsyncStream<SpeechEngine>) {
        let states = controller.updates.buffered(.bounded(64)).numbered
        let events = controller.events.buffered(.bounded(256)).numbered
        let started: [Task<Void, Never>] = [
            Task { [weak self] in
                for await engine in engines {
                    let heard = engine.events.buffered(.bounded(1024)).numbered
                    let listening = Task { for await event in heard { self?.translate(event.event) } }
                    self?.tasks.withLock { $0.append(listening) }
                }
            },
            Task { [weak self] in for await state in states { await self?.translate(state.event) } },
            Task { [weak self] in for await event in events { await self?.translate(event.event) } },
            Task { [weak self] in
                while !Task.isCancelled, let self {
                    await self.tellTime()
                    try? await Task.sleep(for: .milliseconds(250))
                }
            },
        ]
        tasks.withLock { $0 += started }
    }

    /// Stores a place. What is told late, once the reader has ended, is from before its last place.
    private func keep(_ place: Int) {
        hasEnded.withLock { if !$0 { keeper?.keep(place) } }
    }

    private func translate(_ event: SpeechEvent) {
        switch event.kind {
        case .word(let range, _):
            place.withLock { $0 = range.lowerBound }
            feed.yield(.place(range.lowerBound, word: range))
        case .sentence(let range):
            place.withLock { $0 = range.lowerBound }
            // A reader that is killed has kept the sentence that was shown, unless the disk is slow.
            keep(range.lowerBound)
            feed.yield(.place(range.lowerBound, word: nil))
        case .warning(let warning): feed.yield(.notice(Notice(.warning, warning.message)))
        case .utteranceEnded, .finished, .failed, .prepared, .phase: break
        }
    }

    private func translate(_ state: MediaPlaybackState) async {
        let before = activity.withLock { activity in
            defer { activity = state.activity }
            return activity
        }
        // The reason is sent before the failure.
        if state.activity == .failed {
            if await readsWithoutKeptVoice() { return }
            feed.yield(.notice(Notice(.error, state.lastErrorMessage ?? "the engine has failed")))
        }
        // The place before the activity: views show both in one line.
        if state.activity == .finished, remote.repeats != .off { return await readAgain(isPaused: before == .paused) }
        if state.activity == .finished {
            place.withLock { $0 = request.book.length }
            keep(request.book.length)
            feed.yield(.place(request.book.length, word: nil))
        }
        feed.yield(.activity(PlayerActivity(state.activity)))
        feed.yield(.rate(state.rate))
        keeper?.note(rate: state.rate)
        switch state.activity {
        case .paused: keep(await heard())
        case .finished: feed.yield(.finished)
        case .idle, .preparing, .playing, .buffering, .failed: break
        }
    }

    private func translate(_ event: MediaPlaybackEvent) async {
        switch event {
        case .didSeek: await tellPlace()
        case .engineSelected: await tellVoice()
        case .engineFellBack(let from, let to, let reason):
            feed.yield(.notice(Notice(.warning, "\(from) cannot read, \(to) does: \(reason)")))
        case .outputLost(let reason): feed.yield(.notice(Notice(.error, "sound output lost: \(reason)")))
        case .outputRestored: feed.yield(.notice(Notice(.information, "sound output is back")))
        default: break
        }
    }

    /// Begins at the beginning, as a remote control has asked for at the end. A reader that was paused when it was moved there is paused at
    /// the beginning.
    private func readAgain(isPaused: Bool) async {
        do {
            try await seek(to: 0)
            keep(0)
            if !isPaused { try await controller.play() }
        } catch {
            feed.yield(.notice(Notice(.error, "the text cannot be read again: \(error)")))
            feed.yield(.finished)
        }
    }

    private func tellPlace() async {
        let place = await heard()
        keep(place)
        feed.yield(.place(place, word: nil))
        await tellTime()
    }

    private func tellTime() async {
        let progress = await controller.progress
        feed.yield(.time(progress.position, duration: progress.duration, isEstimated: progress.isEstimated))
    }

    private func tellVoice() async {
        guard let name = await controller.state.engine else { return }
        let engine = voices.engine(name)
        let voice = await engine?.settings.voice
        keeper?.note(engine: name, voice: voice)
        feed.yield(.engines(voices.names))
        feed.yield(.voice(engine: name, voice: voice))
        // Listing voices can take as long as loading models; it delays no command.
        guard let engine else { return }
        let listing = Task { [weak self] in
            guard let choice = try? await self?.choice(of: engine), await self?.controller.state.engine == name else {
                return
            }
            self?.feed.yield(.voices(choice.map { ReaderVoice(identifier: $0.identifier, name: $0.name) }))
        }
        tasks.withLock { $0.append(listing) }
    }

    /// The position of the engine, or the last heard position when no engine reads.
    func heard() async -> Int {
        let state = await controller.state
        switch state.activity {
        case .finished: return request.book.length
        case .playing, .paused, .buffering:
            guard let engine = voices.engine(state.engine) else { break }
            let offset = await engine.utf8Offset
            place.withLock { $0 = offset }
            return offset
        // An engine that is being set up has not moved to the place yet.
        case .idle, .preparing, .failed: break
        }
        return place.withLock { $0 }
    }

    /// Stops and keeps the place, so that reading can continue there.
    func stopHere() async throws {
        let here = await heard()
        keep(here)
        await controller.stop()
        try await seek(to: here)
    }
}
