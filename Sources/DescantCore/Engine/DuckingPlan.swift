/// For which layers a layer makes way, and how.
public struct DuckingPlan: Sendable, Hashable, Codable {
    /// The layers that it makes way for. A layer counts while a deck sounds on it: not while it is idle or paused, nor
    /// within a loop's delay.
    public var keys: Set<LayerID>
    /// How far and how quickly it makes way.
    public var ducking: Ducking

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - keys: The layers that it makes way for.
    ///   - ducking: How far and how quickly it makes way.
    public init(keys: Set<LayerID>, ducking: Ducking = Ducking()) {
        self.keys = keys
        self.ducking = ducking
    }
}
