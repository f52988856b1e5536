internal import Descant
internal import Foundation
internal import Synchronization

/// One render: advances the engine and sends the commands to the player at the planned frames.
final class RenderSession: Sendable {
    /// Length of the fade with which a sounding overlay ends together with the main layer, in seconds.
    private static let overlayFade = 0.1

    /// Length of the ramp with which a track begins within its sound, in seconds.
    private static let startRamp = 0.01

    /// The maximum time that the player may take to handle the engine's events, in seconds.
    private static let patience = 10

    let log: RenderLog

    private let engine: any MixingEngine
    private let player: AudioPlayerService
    private let options: PlayOptions
    private let start: Double
    private let needsLimiter: Bool
    private let tracks: [URL]
    private let format: PCMFormat
    private let renderedFrames = Atomic<Int64>(0)
    private let refusals = Mutex<[RenderReport.Failure]>([])

    init(engine: any MixingEngine, environment: AudioEnvironment, request: RenderRequest, tracks: [URL]) {
        self.engine = engine
        self.tracks = tracks
        options = request.options
        start = request.start
        needsLimiter = request.needsLimiter
        format = engine.mixFormat
        player = AudioPlayerService(engine: engine, clock: environment.clock, logger: environment.logger)
        log = RenderLog(player: player, engine: engine)
    }

    /// Frames rendered so far.
    var rendered: Int64 { renderedFrames.load(ordering: .relaxed) }

    /// The errors of the player.
    var failures: [RenderReport.Failure] { log.failures + refusals.withLock { $0 } }

    func run(progress: @Sendable (Double) -> Void) async throws {
        defer { log.stop() }
        await engine.setLimiter(enabled: needsLimiter)
        try await TimelinePerformer(player: player).begin(tracks, with: options) { error, url in
            record(error, at: url)
        }
        if start > 0 { try await moveToStart() }
        var overlays = !options.overlays.isEmpty
        if try await followTimeline(progress: progress) {
            // The main layer fades on a stop, and the overlays end with it.
            let fade = options.configuration.stopFadeDuration - Self.overlayFade
            if try await drive(to: rendered + format.frames(in: max(0, fade)), progress: progress) {
                await stopOverlays()
                overlays = false
            }
        }
        try await renderRest(withOverlays: overlays, progress: progress)
        try await renderTail()
        try await engine.finishOutput()
        log.close(at: rendered)
    }

    /// Moves the first track to the position where it begins. The layer is paused meanwhile, because a seek of a layer that sounds fades the
    /// old position out first, and no frame of it may be in the file.
    private func moveToStart() async throws {
        await engine.pause(engine.mainLayer, ramp: 0)
        do {
            try await player.seekWithFade(to: start, fadeDuration: 0)
        } catch {
            throw RenderFailure.incomplete("the sound cannot begin at \(start) s: \(error)")
        }
        try await engine.resume(engine.mainLayer, ramp: Self.startRamp)
    }

    // MARK: Timeline

    /// Sends the commands to the player.
    ///
    /// - Returns: Whether the last one was to stop.
    private func followTimeline(progress: @Sendable (Double) -> Void) async throws -> Bool {
        let performer = TimelinePerformer(player: player)
        let steps = options.steps.inTime()
        for (index, step) in steps.enumerated() {
            guard try await drive(to: format.frames(in: step.at), progress: progress) else {
                for late in steps[index...] { recordAsLate(late) }
                return false
            }
            try await waitUntilCaughtUp()
            log.commandIsGiven(at: rendered)
            do {
                try await performer.perform(step.command)
            } catch {
                record(error, at: log.currentTrack ?? "")
            }
            if step.command == .stop {
                for late in steps[(index + 1)...] { recordAsLate(late) }
                return true
            }
        }
        return false
    }

    /// Names a command that comes behind the end of the main layer.
    private func recordAsLate(_ step: TimelineStep) {
        // It may have been meant as the longest time.
        guard step.command != .stop else { return }
        let end = (format.seconds(of: rendered) * 10).rounded() / 10
        let reason = "\(step.command) at \(step.at) s lies behind the end, \(end) s, and is left out"
        refusals.withLock { $0.append(.init(url: "", code: "invalidArgument", message: reason)) }
    }

    private func record(_ error: any Error, at url: String) {
        let code = (error as? AudioPlayerError)?.code ?? (error as? CoreError)?.code ?? "engineError"
        refusals.withLock { $0.append(.init(url: url, code: code, message: "\(error)")) }
    }

    /// Renders up to a frame of the output.
    ///
    /// - Returns: Whether the frame was reached; otherwise the main layer has ended.
    private func drive(to frame: Int64, progress: @Sendable (Double) -> Void) async throws -> Bool {
        let slice = Int64(format.sampleRate) * 10
        while rendered < frame {
            try Task.checkCancellation()
            let wanted = min(slice, frame - rendered)
            let got = try await engine.advance(frames: wanted, untilIdle: engine.mainLayer)
            renderedFrames.add(got, ordering: .relaxed)
            progress(format.seconds(of: rendered))
            if got < wanted { return false }
        }
        return true
    }

    // MARK: End

    /// Renders to the end of the main layer, or to a pause that no command ends. Overlays that still sound fade out with it.
    private func renderRest(withOverlays: Bool, progress: @Sendable (Double) -> Void) async throws {
        var overlays = withOverlays
        let fade = format.frames(in: Self.overlayFade)
        var status = await engine.status(of: engine.mainLayer)
        while status.activity == .playing || status.activity == .stopping {
            let left = overlays ? await framesLeft(status) : nil
            if let left, left <= fade {
                try await waitUntilCaughtUp()
                if await player.peekFollowingTrack() == nil {
                    await stopOverlays()
                    overlays = false
                }
            }
            let step = left.map { $0 > fade ? $0 - fade : max(1, $0) } ?? Int64(format.sampleRate) * 10
            _ = try await drive(to: rendered + step, progress: progress)
            status = await engine.status(of: engine.mainLayer)
        }
        // The main layer ended before it was expected to: a damaged file, or one of unknown length.
        if overlays { try await fadeOverlaysAlone() }
        if status.activity == .idle { try await waitForPlayer { [log] in log.hasEnded } }
    }

    /// Renders what the effects of the mix sound after the last track.
    private func renderTail() async throws {
        guard !options.inserts.isEmpty, let effects = engine as? any EffectEngine else { return }
        let got = try await engine.advance(frames: format.frames(in: await effects.effectTail), untilIdle: nil)
        renderedFrames.add(got, ordering: .relaxed)
    }

    /// Frames of the output until the present track ends; `nil` while its length is unknown.
    private func framesLeft(_ status: LayerStatus) async -> Int64? {
        let rate = await player.rate
        return status.duration.map { format.frames(in: max(0, $0 - status.position) / rate) }
    }

    private func stopOverlays() async {
        for overlay in await player.activeOverlays { await player.stopOverlay(id: overlay) }
    }

    private func fadeOverlaysAlone() async throws {
        guard await !player.activeOverlays.isEmpty else { return }
        await stopOverlays()
        let got = try await engine.advance(frames: format.frames(in: Self.overlayFade), untilIdle: nil)
        renderedFrames.add(got, ordering: .relaxed)
    }

    /// Waits until the player has handled the start of the engine's present deck.
    private func waitUntilCaughtUp() async throws {
        let deck = await engine.status(of: engine.mainLayer).deck
        try await waitForPlayer { [log] in log.isCaughtUp(with: deck) }
    }

    /// Waits until the player, which handles events on its own tasks, meets a condition.
    private func waitForPlayer(until isDone: @escaping @Sendable () -> Bool) async throws {
        let changes = log.changes
        let followed = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in changes where isDone() { return true }
                return false
            }
            group.addTask {
                // Only a defect reaches this limit.
                try? await Task.sleep(for: .seconds(Self.patience))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        guard followed else {
            throw RenderFailure.incomplete("the player did not follow the render within \(Self.patience) s")
        }
    }
}
