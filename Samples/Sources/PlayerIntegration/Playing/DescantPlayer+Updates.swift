internal import Descant
internal import Dispatch
internal import Foundation
internal import PlayerApp
internal import Synchronization

/// The changes of the service in the app's terms.
extension DescantPlayer {
    /// How many entries are described by their tags before they are played: more than a view shows at once, and few enough for
    /// the updates that wait to be read.
    private static let describedAhead = 500
    /// How many of the others are read at once.
    private static let batch = 100
    /// The time between two batches.
    private static let pause = Duration.milliseconds(100)
    /// The time before the first batch, in which a list that has just come is shown.
    private static let firstPause = Duration.milliseconds(500)

    func follow() {
        let service = service
        let feed = feed
        let engine = engine
        let events = service.events.buffered(.bounded(1024)).numbered
        let tracks = service.trackUpdates.numbered
        let positions = service.positionUpdates(every: request.isWatched ? 0.1 : 0.5)
        var started: [Task<Void, Never>] = [
            Task { [weak self] in
                for await event in events {
                    if case .playlistChanged = event.event.kind { await self?.readPlaylist() }
                    await self?.translate(event.event.kind)
                }
            },
            Task { [weak self] in for await position in positions { await self?.report(position) } },
            Task { [weak self] in for await _ in tracks { await self?.describePresent() } },
            Task { [weak self, request] in
                await self?.readTags(of: request.entries)
                self?.describeRest()
            },
        ]
        if request.isWatched, request.showsLevels {
            started.append(
                Task {
                    for await reading in engine.levels {
                        feed.yield(.levels(ChannelLevels(peak: reading.master.peak, rms: reading.master.rms)))
                    }
                })
        }
        if let session = environment.session(for: request.output) {
            let statuses = session.updates.numbered
            started.append(Task { [weak self] in for await status in statuses { self?.translate(status.event) } })
        }
        tasks.withLock { $0 += started }
    }

    /// Describes the playlist's first entries by their tags, without those that a playlist or an earlier time has described.
    ///
    /// - Parameter entries: The entries.
    func readTags(of entries: [PlaylistEntry]) async {
        let urls = entries.prefix(Self.describedAhead).filter { $0.duration == nil }.map(\.url).filter(\.isFileURL)
        var seen: Set<URL> = []
        for await result in tagReader.readMetadata(of: urls.filter { seen.insert($0).inserted }) {
            guard let track = result.track else { continue }
            show(result.url, onlyIfNew: true) { $0.described(by: track) }
        }
    }

    /// Describes all other entries, so that a search finds them and their lengths are known. They are read in batches with pauses: neither
    /// playback nor a disk that it plays from has to wait for them. Called again when entries came or went.
    func describeRest() {
        let task = Task(priority: .background) { [weak self] in
            guard (try? await Task.sleep(for: Self.firstPause)) != nil else { return }
            // A copy: to look through a hundred thousand entries takes longer than others should wait for the queue.
            guard let files = self?.queue.withLock({ $0 }).undescribed else { return }
            for start in stride(from: 0, to: files.count, by: Self.batch) {
                await self?.describe(files[start..<min(start + Self.batch, files.count)])
                guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
            }
            self?.keepDescriptions()
        }
        describing.withLock { describing in
            describing?.cancel()
            describing = task
        }
    }

    /// Keeps what was read of the entries, so that the next start need not read it.
    func keepDescriptions() {
        guard hasNewDescriptions.exchange(false, ordering: .acquiringAndReleasing) else { return }
        // Under the lock, so that a newer list comes later.
        queue.withLock { recorder?.note(described: $0.entries) }
    }

    private func describe(_ files: ArraySlice<ShownQueue.File>) async {
        var tracks: [URL: Track] = [:]
        for await result in tagReader.readMetadata(of: files.map(\.url)) { tracks[result.url] = result.track }
        guard !Task.isCancelled else { return }
        queue.withLock { queue in
            let changed = queue.describe(files, as: tracks)
            guard !changed.isEmpty else { return }
            hasNewDescriptions.store(true, ordering: .releasing)
            feed.yield(.manyDetails(changed))
        }
    }

    /// Changes the entries of a file.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - onlyIfNew: Whether entries that the engine has described or refused stay: it knows them better than their tags do.
    ///   - change: Returns the changed entry.
    private func show(_ url: URL, onlyIfNew: Bool = false, _ change: (PlaylistEntry) -> PlaylistEntry) {
        queue.withLock { queue in
            for (index, entry) in queue.change(url, onlyIfNew: onlyIfNew, change) {
                // What the engine tells of a track is told at its next start, too.
                if onlyIfNew { hasNewDescriptions.store(true, ordering: .releasing) }
                feed.yield(.details(index: index, entry))
            }
        }
    }

    /// Shows what became known of the present track after its start, such as what a station plays now.
    private func describePresent() async {
        // A track whose start was not told yet is described with it.
        guard let (url, track) = await service.present, heard.withLock({ $0?.url }) == url else { return }
        show(url) { PlaylistEntry(url: url, track: track).keepingNames(of: $0) }
        feed.yield(.song(track.song(at: url)))
    }

    private func report(_ position: PlaybackPosition) async {
        // A player that waits is shown where it will begin.
        guard start.withLock({ $0 == nil }) else { return }
        heard.withLock { place in
            guard let track = place?.url else { return }
            place = StartingPlace(url: track, position: position.duration > 0 ? position.currentTime : 0)
        }
        feed.yield(.position(position.currentTime, duration: position.duration > 0 ? position.duration : nil))
        recorder?.note(position: position.currentTime)
        let status = await engine.status(of: engine.mainLayer)
        if status.isCrossfading { feed.yield(.crossfadeRemaining(status.crossfadeRemaining)) }
        if modes.withLock({ $0.sleep }) != .off { feed.yield(.sleepRemaining(await service.sleepTimerRemaining)) }
    }

    private func show(_ state: PlayerState) {
        let isStopped = state == .finished && waits.withLock { $0 }
        feed.yield(.activity(isStopped ? .stopped : PlayerActivity(state)))
        // Whoever plays on while the effects sound out has not come to the end.
        ending.withLock { $0?.cancel() }
        switch state {
        case .preparing: waits.withLock { $0 = false }
        case .playing:
            waits.withLock { $0 = false }
            feed.yield(.pauseReason(nil))
            isPausedByPerson.withLock { $0 = false }
            fellAsleep.store(false, ordering: .releasing)
            fellAsleepWithinTrack.store(false, ordering: .releasing)
            lastFailure.withLock { $0 = nil }
        case .finished where !isStopped:
            let hasFallenAsleep = fellAsleep.exchange(false, ordering: .acquiringAndReleasing)
            if !hasFallenAsleep { recorder?.noteEnd() }
            tellEnd(hasFallenAsleep ? .sleepTimer(isWithinTrack: start.withLock { $0 != nil }) : .played)
        case .failed(let error):
            lastFailure.withLock { $0 = error }
            feed.yield(.ended(.failure(error.description)))
        default: break
        }
    }

    /// Lets a player that has fallen asleep within a track go on from there.
    private func waitWhereItFellAsleep() async {
        guard fellAsleepWithinTrack.exchange(false, ordering: .acquiringAndReleasing), !waits.withLock({ $0 }),
            let place = heard.withLock({ $0 }), await service.state == .finished
        else { return }
        let index = await service.getCurrentTrackIndex()
        guard await service.getTracks(in: index..<index + 1) == [place.url] else { return }
        waitToBegin(at: index, position: place.position)
    }

    /// Shows that the service has forgotten its sleep timer, as behind a stop or a failure.
    private func followSleepTimer() async {
        guard modes.withLock({ $0.sleep != .off }), await service.isWithoutTrack, await service.sleepTimer == nil else {
            return
        }
        changeModes { $0.sleep = .off }
    }

    /// Tells the end of the playlist when the effects of the mix have sounded out, which quits programs that do not stay open.
    private func tellEnd(_ reason: PlaybackEnding) {
        guard !request.options.inserts.isEmpty, let effects = engine as? any EffectEngine else {
            feed.yield(.ended(reason))
            return
        }
        let task = Task { [feed] in
            guard (try? await Task.sleep(for: .seconds(await effects.effectTail))) != nil else { return }
            feed.yield(.ended(reason))
        }
        ending.withLock { $0 = task }
    }

    /// Shows a track that has begun.
    private func begin(_ url: URL, at index: Int, _ track: TrackInfo) async {
        // A remote control may have chosen it, and left the place where the player was to begin.
        start.withLock { $0 = nil }
        heard.withLock { $0 = StartingPlace(url: url, position: 0) }
        // More may be known by now.
        let present = await service.present
        let known = present?.url == url ? present?.track ?? track : track
        // In this order, so that the details are there when the track changes.
        show(url) { PlaylistEntry(url: url, track: known).keepingNames(of: $0) }
        feed.yield(.noticeOver(.buffering))
        feed.yield(.track(index: index))
        feed.yield(.song(known.song(at: url)))
        recorder?.note(track: url, at: index)
        companions.load(url)
        lookForMissing()
        await keepOrder()
    }

    /// Takes the marks off files that were missing and are back, as those of a disk that was plugged in again.
    private func lookForMissing() {
        let missing = queue.withLock { $0.missing }
        guard !missing.isEmpty, !looksForMissing.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // A disk may hang.
        DispatchQueue(label: "descant.missing-files", qos: .utility).async { [weak self] in
            let found = missing.filter { access($0.path, F_OK) == 0 }
            self?.queue.withLock { queue in
                let changed = queue.forgetMissing(found)
                if !changed.isEmpty { self?.feed.yield(.manyDetails(Dictionary(changed) { $1 })) }
            }
            self?.looksForMissing.store(false, ordering: .releasing)
            if !found.isEmpty { self?.describeRest() }
        }
    }

    func translate(_ event: PlayerEvent.Kind) async {
        switch event {
        // Among the other events: whether the sleep timer has ended playback is known when the end comes.
        case .stateChanged(let state):
            if state == .finished { await waitWhereItFellAsleep() }
            await followSleepTimer()
            show(state)
        case .trackStarted(let url, let index, let track): await begin(url, at: index, track)
        case .sleepTimerEnded:
            let isWithinTrack = if case .after = modes.withLock({ $0.sleep }) { true } else { false }
            fellAsleepWithinTrack.store(isWithinTrack, ordering: .releasing)
            fellAsleep.store(true, ordering: .releasing)
            changeModes { $0.sleep = .off }
            feed.yield(
                .notice(
                    Notice(
                        .information, "the sleep timer has stopped the music", topic: .silence,
                        hints: [Notice.Hint(.togglePause, "goes on")])))
        case .transitionStarted(_, _, .crossfade, let frames):
            let seconds = engine.mixFormat.seconds(of: frames)
            feed.yield(.crossfade(CrossfadeStatus(remaining: seconds, duration: seconds)))
        case .transitionEnded: feed.yield(.crossfade(nil))
        case .trackFailed(let url, let error):
            feed.yield(.notice(Notice(.error, error.description)))
            show(url) { entry in
                var failed = entry
                failed.failure = error.reason
                return failed
            }
            if case .fileNotFound = error, url.isFileURL { queue.withLock { $0.note(missing: url) } }
        case .overlayChanged(.default, let state):
            let overlay = overlay.withLock { $0 }
            let status = OverlayStatus(
                name: overlay?.url.deletingPathExtension().lastPathComponent ?? "",
                isPlaying: state == .playing || state == .crossfading, volume: overlay?.volume ?? 1)
            feed.yield(.overlay(state == .idle ? nil : status))
        case .buffering(let percent) where percent < 100:
            feed.yield(.notice(Notice(.information, "buffering \(percent)%", topic: .buffering)))
        case .buffering: feed.yield(.noticeOver(.buffering))
        case .mix(.outputLost(let reason)):
            let remedy = Self.remedy(for: reason, at: request.output, device: device.withLock { $0 })
            showOutput { $0.problem = remedy }
        case .mix(.outputRestored): showOutput { $0.problem = nil }
        case .mix(.outputChanged(let device)):
            self.device.withLock { $0 = device }
            let devices = (try? await engine.outputDevices()) ?? []
            showOutput { $0.device = devices.first { $0.identifier == device }?.name ?? device }
        case .mix(.pluginOverdue(let plugin, let operation, let seconds)):
            let limit = (seconds * 10).rounded() / 10
            feed.yield(.notice(Notice(.error, "\(plugin) hangs: its \(operation) did not come back within \(limit) s")))
        case .error(let error): feed.yield(.notice(Notice(.error, error.description)))
        default: break
        }
    }

    // MARK: The sound server

    /// Shows what the session says: the device, and the call that has paused the player.
    private func translate(_ status: AudioSessionStatus) {
        if let device = status.situation.route.outputs.first {
            self.device.withLock { $0 = device.identifier }
            showOutput { $0.device = device.name }
        }
        guard status.state == .interrupted, !isPausedByPerson.withLock({ $0 }) else {
            return _ = feed.yield(.pauseReason(nil))
        }
        let caller = status.situation.phoneStreams.first.map { $0.application.isEmpty ? "" : " (\($0.application))" }
        let reason = caller.map { "a call\($0)" } ?? "the sound server, for another program"
        feed.yield(.pauseReason("\(reason); it goes on afterwards"))
    }

    private func showOutput(_ change: (inout OutputStatus) -> Void) {
        let changed: OutputStatus? = output.withLock { output in
            let before = output
            change(&output)
            return output == before ? nil : output
        }
        if let changed { feed.yield(.output(changed)) }
    }

    /// What to say of lost sound.
    ///
    /// - Parameters:
    ///   - reason: Why the output takes no sound.
    ///   - output: Where sound goes.
    ///   - device: The sink of the sound server that is played to; `nil` while unknown.
    static func remedy(for reason: String, at output: OutputDestination, device: String?) -> String {
        let remedy =
            switch output {
            case .port: "it goes on when the receiver is back"
            case .alsa: "it goes on when ALSA takes sound again"
            case .pulse(let chosen, _, _) where reason.contains("takes no sound"):
                "wake the device with: pactl suspend-sink \(chosen ?? device ?? "@DEFAULT_SINK@") 0"
            default: "it goes on when the sound server is back; see: descant doctor"
            }
        return "no sound; \(remedy) (\(reason))"
    }
}

extension AudioPlayerService {
    /// The present track, as it is known at this moment.
    fileprivate var present: (url: URL, track: TrackInfo)? {
        guard let track = currentTrack, let url = nowPlaying().track?.url else { return nil }
        return (url, track)
    }
}
