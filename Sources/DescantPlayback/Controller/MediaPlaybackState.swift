public import DescantCore

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
    /// How far it was played when this was told.
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
        switch activity {
        case .preparing, .playing, .paused, .buffering: content
        case .idle, .finished, .failed: nil
        }
    }

    /// Whether the content was heard to its end.
    public var isFinished: Bool { activity == .finished }

    /// Whether something is done before sound can come out.
    public var isPreparing: Bool { activity == .preparing || progress.generationPhase != nil }
}
