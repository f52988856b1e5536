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
            return await progress(of: engine)
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

    private func progress(of engine: any MediaEngine) async -> MediaProgress {
        let position = await engine.currentTime
        let duration = await engine.duration
        var progress = MediaProgress(position: position, duration: duration)
        if activity == .finished {
            progress.fraction = 1
        } else {
            progress.fraction = await engine.progress
        }
        if let reporting = engine as? any EngineProgressReporting {
            let more = await reporting.engineProgress
            progress.characterOffset = more.characterOffset
            progress.currentWord = more.currentWord
            progress.generationPhase = more.phase
            progress.isEstimated = more.isEstimated
        }
        if progress.characterOffset == nil, case .text(let text, _) = content {
            progress.characterOffset = Int((Double(text.count) * progress.fraction).rounded())
        }
        // An engine that seeks only while it plays has a seek pending.
        return media.adjusted(progress)
    }

    /// The present place in the words that another engine understands: a character of a text, seconds of everything else.
    func carriedPosition() async -> MediaPosition? {
        // What was heard to its end begins again.
        guard let content, activity != .finished else { return nil }
        let present = await progress
        switch content {
        case .text:
            let offset = present.characterOffset ?? 0
            return offset > 0 ? .characterOffset(offset) : nil
        case .url: return present.position > 0 ? .time(present.position) : nil
        }
    }
}
