internal import Descant
internal import Foundation
internal import Synchronization

/// One render: drives the engine along the output's timeline and calls the player at the planned frames.
final class RenderSession: Sendable {
    /// Length of the fade with which a sounding overlay ends together with the main line, in seconds.
    private static let overlayFade = 0.1

    let log: RenderLog

    private let engine: any MixingEngine
    private let player: AudioPlayerService
    private let request: RenderRequest
    private let tracks: [URL]
    private let format: PCMFormat
    private let renderedFrames = Atomic<Int64>(0)
    private let refusals = Mutex<[RenderReport.Failure]>([])

    init(engine: any MixingEngine, environment: AudioEnvironment, request: RenderRequest, tracks: [URL]) {
        self.engine = engine
        self.request = request
        self.tracks = tracks
        format = engine.mixFormat
        player = AudioPlayerService(engine: engine, clock: environment.clock, logger: environment.logger)
        log = RenderLog(player: player, engine: engine)
    }

    /// Frames rendered so far.
    var rendered: Int64 { renderedFrames.load(ordering: .relaxed) }

    /// What the player refused or could not read.
    var failures: [RenderReport.Failure] { log.failures + refusals.withLock { $0 } }

    func run(progress: @Sendable (Double) -> Void) async throws {
        defer { log.stop() }
        await engine.setLimiter(enabled: request.needsLimiter)
        try await player.loadPlaylist(tracks, configuration: request.configuration)
        if request.rate != 1 { try await player.setRate(request.rate) }
        let overlay = try await startOverlay()
        try await followTimeline(progress: progress)
        try await renderRest(overlay: overlay, progress: progress)
        try await engine.finishOutput()
        try await waitForPlayer { self.log.hasEnded }
        log.close(at: rendered)
    }

    // MARK: Overlay

    /// Starts the overlay on a layer of its own, without a fade in: the player's own overlay always has one.
    private func startOverlay() async throws -> LayerID? {
        guard let wanted = request.overlay else { return nil }
        let info: DeckInfo
        do {
            info = try await engine.openDeck(.url(wanted.url), gain: 1, isClip: true)
        } catch let error as CoreError {
            // As with a track that cannot be opened: reported, and the rest is rendered.
            record(error, code: error.code, url: wanted.url.absoluteString)
            return nil
        }
        let layer = await engine.addLayer(.overlay)
        await engine.setGain(wanted.volume, of: layer, ramp: 0)
        let loop = LoopPlan(passes: wanted.passes, delay: wanted.delay)
        try await engine.play(info.id, on: layer, entry: .cut, loop: loop)
        return layer
    }

    // MARK: Timeline

    private enum Step {
        case seek(TimeInterval)
        case pause
        case resume
    }

    private func followTimeline(progress: @Sendable (Double) -> Void) async throws {
        var steps: [(frame: Int64, step: Step)] = []
        for action in request.actions {
            switch action {
            case .seek(let at, let to): steps.append((format.frames(in: at), .seek(to)))
            case .pause(let at, let seconds):
                steps.append((format.frames(in: at), .pause))
                steps.append((format.frames(in: at + seconds), .resume))
            }
        }
        // Stable, so that steps of one moment happen in the order in which they were asked for.
        for (frame, step) in steps.enumerated().sorted(by: { ($0.1.0, $0.0) < ($1.1.0, $1.0) }).map(\.element) {
            guard try await drive(to: frame, progress: progress) else { return }
            await perform(step)
        }
    }

    private func perform(_ step: Step) async {
        do {
            switch step {
            case .seek(let position): try await player.seekWithFade(to: position)
            case .pause: try await player.pause()
            case .resume: try await player.resume()
            }
        } catch {
            let place = log.currentIndex.map { tracks[$0].absoluteString } ?? ""
            let code = (error as? AudioPlayerError)?.code ?? (error as? CoreError)?.code ?? "engineError"
            record(error, code: code, url: place)
        }
    }

    private func record(_ error: any Error, code: String, url: String) {
        refusals.withLock { $0.append(.init(url: url, code: code, message: "\(error)")) }
    }

    /// Renders up to a frame of the output.
    ///
    /// - Returns: Whether the frame was reached; otherwise the main line has ended.
    private func drive(to frame: Int64, progress: @Sendable (Double) -> Void) async throws -> Bool {
        let slice = Int64(format.sampleRate) * 10
        while rendered < frame {
            let wanted = min(slice, frame - rendered)
            let got = try await engine.advance(frames: wanted, untilIdle: engine.mainLayer)
            renderedFrames.add(got, ordering: .relaxed)
            progress(format.seconds(of: rendered))
            if got < wanted { return false }
        }
        return true
    }

    // MARK: End

    /// Renders to the end of the main line. An overlay that still sounds fades out with it.
    private func renderRest(overlay: LayerID?, progress: @Sendable (Double) -> Void) async throws {
        var fadingOverlay = overlay
        while true {
            let status = await engine.status(of: engine.mainLayer)
            guard status.activity != .idle else { break }
            guard let layer = fadingOverlay, let left = framesLeft(status) else {
                if try await drive(to: rendered + Int64(format.sampleRate) * 10, progress: progress) { continue }
                break
            }
            let fade = format.frames(in: Self.overlayFade)
            if left > fade {
                guard try await drive(to: rendered + left - fade, progress: progress) else { break }
                continue
            }
            try await waitForPlayer { self.log.isCaughtUp(with: status.deck) }
            if log.currentIndex == tracks.count - 1 {
                await engine.stop(layer, fade: format.seconds(of: max(0, left)), curve: .linear)
                fadingOverlay = nil
            } else {
                guard try await drive(to: rendered + max(1, left), progress: progress) else { break }
            }
        }
        if let layer = fadingOverlay { try await fadeOutAlone(layer) }
    }

    /// Frames of the output until the present track ends; `nil` while its length is unknown.
    private func framesLeft(_ status: LayerStatus) -> Int64? {
        status.duration.map { format.frames(in: max(0, $0 - status.position) / request.rate) }
    }

    /// The main line ended before it was expected to: a damaged file, or one of unknown length.
    private func fadeOutAlone(_ layer: LayerID) async throws {
        await engine.stop(layer, fade: Self.overlayFade, curve: .linear)
        let got = try await engine.advance(frames: format.frames(in: Self.overlayFade), untilIdle: layer)
        renderedFrames.add(got, ordering: .relaxed)
    }

    /// Waits until the player, which follows the engine on tasks of its own, has come so far.
    private func waitForPlayer(until isDone: () -> Bool) async throws {
        let limit = ContinuousClock.now + .seconds(10)
        while !isDone() {
            guard ContinuousClock.now < limit else {
                throw RenderFailure.incomplete("the player did not follow the render within 10 s")
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
