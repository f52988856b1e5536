internal import DescantCore
internal import Foundation

/// The content of a controller, its sections, its speed, and the position where it begins.
struct LoadedMedia {
    private(set) var content: MediaContent?
    /// Changes with every content; engines note which one they have loaded.
    private(set) var number: UInt64 = 0
    private(set) var sections: [MediaSection] = []
    /// The position at which the content begins when it is next loaded or played.
    var pending: MediaPosition?
    /// The progress that an engine has told last; `nil` before one has.
    private(set) var lastProgress: MediaProgress?
    /// The speed; 1 is normal.
    var rate = 1.0

    /// What the host says of the content.
    var description: NowPlayingTrack?

    /// Replaces the content. The speed stays.
    mutating func load(_ content: MediaContent, sections: [MediaSection], description: NowPlayingTrack? = nil) {
        self.description = description
        self.content = content
        self.sections = sections
        number &+= 1
        pending = nil
        lastProgress = nil
    }

    /// Notes the progress that an engine has told.
    ///
    /// - Parameter number: The number of the content that it has played.
    mutating func note(_ progress: MediaProgress, of number: UInt64) {
        if number == self.number { lastProgress = progress }
    }

    /// A place in the words that another engine understands: a character of a text, seconds of everything else. `nil` for the beginning.
    func place(at progress: MediaProgress) -> MediaPosition? {
        switch content {
        case .text:
            let offset = progress.characterOffset ?? 0
            return offset > 0 ? .characterOffset(offset) : nil
        case .url: return progress.position > 0 ? .time(progress.position) : nil
        case nil: return nil
        }
    }

    /// The progress of content that no engine has opened yet. The duration of a text is estimated.
    var unloadedProgress: MediaProgress {
        guard let content else { return .none }
        var progress = MediaProgress()
        if case .text(let text, _) = content {
            progress.duration = Self.estimatedDuration(of: text, rate: rate)
            progress.isEstimated = true
            progress.characterOffset = 0
        }
        return adjusted(progress)
    }

    /// The progress with the pending position in place of the engine's.
    func adjusted(_ progress: MediaProgress) -> MediaProgress {
        guard let pending else { return progress }
        var progress = progress
        let length = if case .text(let text, _) = content { text.count } else { 0 }
        switch pending {
        case .time(let seconds):
            progress.position = seconds
            if let duration = progress.duration, duration > 0 { progress.fraction = min(1, seconds / duration) }
        case .fraction(let share): progress.fraction = share
        case .characterOffset(let offset): progress.fraction = length > 0 ? Double(offset) / Double(length) : 0
        }
        if let duration = progress.duration, progress.position == 0 { progress.position = progress.fraction * duration }
        if length > 0 { progress.characterOffset = Int((progress.fraction * Double(length)).rounded()) }
        return progress
    }

    /// The section at a position.
    func section(at progress: MediaProgress) -> MediaSection? {
        sections.last { section in
            switch section.start {
            case .time(let seconds): seconds <= progress.position
            case .fraction(let share): share <= progress.fraction
            case .characterOffset(let offset): offset <= progress.characterOffset ?? 0
            }
        }
    }

    /// The duration of a text at 200 words a minute at rate 1. Words are separated by white space.
    static func estimatedDuration(of text: String, rate: Double) -> TimeInterval {
        let words = text.split(whereSeparator: \.isWhitespace).count
        return Double(words) / 200 * 60 / rate
    }
}
