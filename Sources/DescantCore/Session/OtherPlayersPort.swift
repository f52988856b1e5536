/// Other players of the desktop, which can be asked to make room.
///
/// Sound servers on Linux mix whatever they get, so playing alone is a courtesy among players: the others are asked to
/// pause, and to go on afterwards.
public protocol OtherPlayersPort: Sendable {
    /// Asks every other player that is playing to pause.
    ///
    /// - Returns: The players that did, by names that ``resume(_:)`` takes. Takes no longer than 2 s.
    func pauseOthers() async -> [String]

    /// Asks players to resume; skips those that were controlled since or have ended.
    ///
    /// - Parameter players: What ``pauseOthers()`` returned.
    func resume(_ players: [String]) async
}
