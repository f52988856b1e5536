internal import DescantCore
internal import Foundation

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
