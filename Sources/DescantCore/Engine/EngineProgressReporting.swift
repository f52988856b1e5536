/// An engine that tells more of its progress than seconds: one that speaks.
///
/// A controller asks for it by a cast, `engine as? any EngineProgressReporting`.
public protocol EngineProgressReporting: MediaEngine {
    /// How far the engine is.
    var engineProgress: EngineProgress { get async }
}

/// An engine that knows what plays better than the content's address says: a player elsewhere with a queue of its own.
///
/// A controller asks for it by a cast, `engine as? any EngineTrackReporting`. The engine posts its state again, unchanged, when the
/// track, its length or the volume has changed.
public protocol EngineTrackReporting: MediaEngine {
    /// What plays, or what is loaded and has not begun; `nil` when nothing is loaded. Another item of the queue has another
    /// identity.
    var currentTrack: NowPlayingTrack? { get async }
}
