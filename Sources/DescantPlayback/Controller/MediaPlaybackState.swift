public import DescantCore
public import Foundation

/// A controller at one moment: everything that a view or a remote control shows.
public struct MediaPlaybackState: Sendable, Hashable {
    /// What the controller is doing.
    public enum Activity: String, Sendable, Hashable, Codable {
        /// Nothing is being played.
        case idle
        /// An engine is being made, content loaded, or a start tried.
        case preparing
        /// Sound comes out.
        case playing
        /// Frozen at a position.
        case paused
        /// Waiting for data.
        case buffering
        /// The content was heard to its end.
        case finished
        /// The last start failed, or the engine did; ``MediaPlaybackState/lastErrorMessage`` says why.
        case failed

        /// Whether remote controls and views show the content as the present track.
        var isShown: Bool {
            switch self {
            case .preparing, .playing, .paused, .buffering: true
            case .idle, .finished, .failed: false
            }
        }
    }

    /// The engine that is selected; `nil` before one could be chosen.
    public var engine: String?
    /// What the selected engine can do; empty before it is made.
    public var capabilities: EngineCapabilities
    /// What the controller is doing.
    public var activity: Activity
    /// What is to be played.
    public var content: MediaContent?
    /// The places that content was given with.
    public var sections: [MediaSection]
    /// The progress when the state was published.
    public var progress: MediaProgress
    /// The speed; 1 is normal.
    public var rate: Double
    /// What last went wrong, for a person; cleared by the next success.
    public var lastErrorMessage: String?
    /// After a start has failed: another engine that could play this. It is not selected by itself.
    public var offeredEngine: String?
    /// Whether the desktop holds playing up: a conversation, a sound server that is away.
    public var session: AudioSessionState

    /// What to show as playing; `nil` once it was stopped.
    public var nowPlaying: MediaContent? {
        activity.isShown ? content : nil
    }

    /// Whether the content was heard to its end.
    public var isFinished: Bool { activity == .finished }

    /// Whether something is done before sound can come out.
    public var isPreparing: Bool { activity == .preparing || progress.generationPhase != nil }
}

/// How far content was played.
public struct MediaProgress: Sendable, Hashable {
    /// Seconds from the beginning, as heard.
    public var position: TimeInterval
    /// Length in seconds; `nil` while unknown. Of a text that is not loaded yet it is an estimate: 200 words a minute at rate 1.
    public var duration: TimeInterval?
    /// The share that was played, 0…1; 0 while it is unknown.
    public var fraction: Double
    /// Characters from the beginning of a text; `nil` for content without characters.
    public var characterOffset: Int?
    /// The word that is heard, in UTF-8 bytes of the text; `nil` when unknown. ``TextRanges`` converts it.
    public var currentWord: Range<Int>?
    /// What an engine does before sound can come out; `nil` when nothing.
    public var generationPhase: EngineProgress.Phase?
    /// Whether the duration may still change.
    public var isEstimated: Bool

    /// Nothing was played.
    public static let none = MediaProgress()

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - position: Seconds from the beginning.
    ///   - duration: Length in seconds.
    ///   - fraction: The share that was played.
    ///   - characterOffset: Characters from the beginning of a text.
    ///   - currentWord: The word that is heard, in UTF-8 bytes.
    ///   - generationPhase: What an engine does before sound can come out.
    ///   - isEstimated: Whether the duration may still change.
    public init(
        position: TimeInterval = 0, duration: TimeInterval? = nil, fraction: Double = 0, characterOffset: Int? = nil,
        currentWord: Range<Int>? = nil, generationPhase: EngineProgress.Phase? = nil, isEstimated: Bool = false
    ) {
        self.position = position
        self.duration = duration
        self.fraction = fraction
        self.characterOffset = characterOffset
        self.currentWord = currentWord
        self.generationPhase = generationPhase
        self.isEstimated = isEstimated
    }
}

/// A named place in content: a chapter of a book, a heading of an article.
public struct MediaSection: Sendable, Hashable {
    /// What a person sees.
    public var title: String
    /// Where it begins.
    public var start: MediaPosition

    /// Creates a section.
    ///
    /// - Parameters:
    ///   - title: What a person sees.
    ///   - start: Where it begins.
    public init(title: String, start: MediaPosition) {
        self.title = title
        self.start = start
    }
}
