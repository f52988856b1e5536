/// An engine that tells more of its progress than seconds: one that speaks.
///
/// A controller asks for it by a cast, `engine as? any EngineProgressReporting`.
public protocol EngineProgressReporting: MediaEngine {
    /// How far the engine is.
    var engineProgress: EngineProgress { get async }
}
