public import DescantCore

/// A player that a remote control can show and command. ``RemoteControlBridge`` connects it to a `RemoteControlPort`.
///
/// Unlike a bare `RemoteCommandTarget` it needs not publish anything itself: the bridge does, before a command is answered.
public protocol RemoteControllable: RemoteCommandTarget {
    /// What is playing at this moment, and what can be done.
    func nowPlaying() async -> NowPlaying

    /// What happens from now on; several changes may come as one.
    var remoteChanges: EventStream<RemoteChange> { get }
}
