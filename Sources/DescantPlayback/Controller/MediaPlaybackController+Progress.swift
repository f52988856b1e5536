internal import DescantCore
internal import Foundation

/// How far content was played.
extension MediaPlaybackController {
    /// How far the content was played, asked of the selected engine now.
    public var progress: MediaProgress {
        get async {
            guard let engine = selectedEngine, loaded[engine.identifier] == contentNumber else {
                return unloadedProgress
            }
            return await progress(of: engine)
        }
    }

    /// How far an engine has played the present content: now for the selected one, when it was left for another one.
    ///
    /// - Parameter identifier: The engine.
    public func progress(of identifier: String) async -> MediaProgress {
        identifier == selected ? await progress : leftAt[identifier] ?? .none
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
        // What has yet to be sought in an engine that can move only what plays.
        if pending != nil { progress = adjusted(progress) }
        return progress
    }

    /// Content that no engine has opened yet.
    private var unloadedProgress: MediaProgress {
        guard let content else { return .none }
        var progress = MediaProgress()
        if case .text(let text, _) = content {
            progress.duration = Self.estimatedDuration(of: text, rate: rate)
            progress.isEstimated = true
            progress.characterOffset = 0
        }
        return pending == nil ? progress : adjusted(progress)
    }

    private func adjusted(_ progress: MediaProgress) -> MediaProgress {
        var progress = progress
        let length = if case .text(let text, _) = content { text.count } else { 0 }
        switch pending {
        case .time(let seconds):
            progress.position = seconds
            if let duration = progress.duration, duration > 0 { progress.fraction = min(1, seconds / duration) }
        case .fraction(let share): progress.fraction = share
        case .characterOffset(let offset): progress.fraction = length > 0 ? Double(offset) / Double(length) : 0
        case nil: break
        }
        if let duration = progress.duration, progress.position == 0 { progress.position = progress.fraction * duration }
        if length > 0 { progress.characterOffset = Int((progress.fraction * Double(length)).rounded()) }
        return progress
    }

    /// How long a text takes: 200 words a minute at rate 1. A word is what stands between white space.
    static func estimatedDuration(of text: String, rate: Double) -> TimeInterval {
        let words = text.split(whereSeparator: \.isWhitespace).count
        return Double(words) / 200 * 60 / rate
    }

    /// The present place in the words that another engine understands: a character of a text, seconds of everything else.
    func carriedPosition() async -> MediaPosition? {
        guard let content else { return nil }
        let present = await progress
        switch content {
        case .text:
            let offset = present.characterOffset ?? 0
            return offset > 0 ? .characterOffset(offset) : nil
        case .url: return present.position > 0 ? .time(present.position) : nil
        }
    }
}
