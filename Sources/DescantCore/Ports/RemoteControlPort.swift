/// Shows the outside what is playing, and hears what it wants: media keys, the desktop's player panel, `playerctl`.
///
/// A service publishes a ``NowPlaying`` whenever it changes and gets ``RemoteCommand``s back through a ``RemoteCommandTarget``. No
/// method waits for the outside, so a frozen or missing bus never holds a player up. Any thread.
public protocol RemoteControlPort: Sendable {
    /// Names who carries out commands from now on, and begins to be visible to the outside.
    ///
    /// - Parameter target: Who carries out commands; not retained. Without one every command is refused.
    func connect(to target: any RemoteCommandTarget)

    /// Shows what is playing and what is possible. What did not change is not told again; several changes in a row may reach the
    /// outside as one.
    ///
    /// - Parameter nowPlaying: The whole of it; ``NowPlaying/nothing`` clears it.
    func publish(_ nowPlaying: NowPlaying)

    /// Tells that the position went on from elsewhere: a seek, a track that begins again, a stop.
    ///
    /// - Parameter position: Seconds from the beginning of the current track.
    func positionJumped(to position: Double)

    /// Becomes invisible to the outside and removes whatever was written for it (cover files). Harmless when repeated.
    func close() async
}

extension RemoteControlPort {
    /// Shows that nothing is playing and nothing can be done.
    public func clear() { publish(.nothing) }
}
