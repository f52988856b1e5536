public import DescantCore
public import Foundation

/// How far content was played.
extension MediaPlaybackController {
    /// How far the content was played, asked of the selected engine now.
    public var progress: MediaProgress {
        get async {
            guard let engine = selectedEngine, engines.hasLoaded(media.number, engine.identifier) else {
                return media.unloadedProgress
            }
            let number = media.number
            guard let told = try? await progress(of: engine) else {
                // Given up, or delayed by a command.
                return engines[engine.identifier] == nil
                    ? media.unloadedProgress : media.lastProgress ?? media.unloadedProgress
            }
            media.note(told, of: number)
            return told
        }
    }

    /// How far an engine has played the present content: now for the selected one, when it was left for another one.
    ///
    /// - Parameter identifier: The engine.
    public func progress(of identifier: String) async -> MediaProgress {
        identifier == engines.selected ? await progress : engines.progressLeft(of: identifier)
    }

    /// The progress at every change of state, after every jump, and in between while something plays; begins with the present one.
    /// A slow reader gets the newest only, unless it asks for a buffer.
    ///
    /// - Parameter interval: Seconds between two positions while something plays, 1/60…3600.
    /// - Returns: A sequence that ends with the controller.
    public nonisolated func positionUpdates(every interval: TimeInterval = 0.5) -> EventStream<MediaProgress> {
        let wait = UInt64((interval.isFinite ? min(max(1 / 60, interval), 3_600) : 0.5) * 1e9)
        let hub = EventHub<MediaProgress> { [weak self] hub in
            guard hub.subscriberCount == 1 else { return }
            guard let self else { return hub.finish() }
            postPositions(to: hub, every: wait)
        }
        return hub.stream(buffer: .newest)
    }

    /// Posts positions as long as somebody reads them.
    private nonisolated func postPositions(to hub: EventHub<MediaProgress>, every wait: UInt64) {
        let states = updates.numbered
        Task { [weak self, clock] in
            var ticker: Task<Void, Never>?
            for await state in states {
                ticker?.cancel()
                guard hub.subscriberCount > 0, let now = await self?.progress else { break }
                hub.post(now)
                guard state.event.activity == .playing else { continue }
                ticker = Task { [weak self] in
                    while hub.subscriberCount > 0, (try? await clock.sleep(until: clock.now() + wait)) != nil,
                        let now = await self?.progress, !Task.isCancelled
                    { hub.post(now) }
                }
            }
            ticker?.cancel()
            if self == nil { hub.finish() }
        }
    }

    private func progress(of engine: any MediaEngine) async throws -> MediaProgress {
        let isFinished = activity == .finished
        var progress = try await ask(engine, "progress", .read) {
            let (position, duration) = (await engine.currentTime, await engine.duration)
            let fraction = isFinished ? 1 : await engine.progress
            // The engine of a bundle may give any number.
            var progress = MediaProgress(position: position, duration: duration, fraction: min(1, max(0, fraction)))
            if let more = await (engine as? any EngineProgressReporting)?.engineProgress {
                progress.characterOffset = more.characterOffset
                progress.currentWord = more.currentWord
                progress.generationPhase = more.phase
                progress.isEstimated = more.isEstimated
            }
            return progress
        }
        if case .text(let text, _) = content {
            let offset = progress.characterOffset ?? Int((Double(text.count) * progress.fraction).rounded())
            progress.characterOffset = min(max(0, offset), text.utf8.count)
        }
        // An engine that seeks only while it plays has a seek pending.
        return media.adjusted(progress)
    }

    /// The present place in the words that another engine understands: a character of a text, seconds of everything else.
    func carriedPosition() async -> MediaPosition? {
        // What was heard to its end begins again.
        guard content != nil, activity != .finished else { return nil }
        return media.place(at: await progress)
    }
}
