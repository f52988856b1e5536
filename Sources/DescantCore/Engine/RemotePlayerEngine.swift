/// An engine that controls a player elsewhere, which has a volume and a queue of its own.
///
/// Such an engine makes no sound in this process, so no mixer gives it a volume; what follows in its queue is known to the
/// player alone. Threads are as for ``MediaEngine``.
public protocol RemotePlayerEngine: MediaEngine {
    /// The player's volume, 0…1, as far as it is known; `nil` before anything was loaded, and for a player without one.
    var volume: Double? { get async }

    /// Sets the player's volume.
    ///
    /// - Parameter volume: 0 is silent, 1 the loudest; how it is scaled in between is the player's affair.
    /// - Throws: ``CoreError/invalidArgument(_:)`` outside 0…1, ``CoreError/invalidState(_:)`` when nothing is loaded,
    ///   ``CoreError/unsupported(_:)`` for a player without a volume, ``CoreError/ioError(underlying:)`` when it cannot be reached.
    func setVolume(_ volume: Double) async throws

    /// Goes on to what follows in the player's queue.
    ///
    /// - Throws: ``CoreError/invalidState(_:)`` when nothing is loaded or nothing follows, ``CoreError/ioError(underlying:)``
    ///   when the player cannot be reached.
    func next() async throws

    /// Goes back to what came before in the player's queue, or to the beginning of what plays: players differ.
    ///
    /// - Throws: What ``next()`` throws.
    func previous() async throws
}
