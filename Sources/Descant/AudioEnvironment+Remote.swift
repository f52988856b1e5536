public import DescantCore
internal import DescantDesktop

extension AudioEnvironment {
    /// Makes the desktop's media controls for a player: media keys, the player panel, `playerctl`. Nothing is visible before a player
    /// is connected, and nothing ever is without a session bus.
    ///
    /// - Parameter identity: How the program presents itself.
    public func makeRemoteControl(_ identity: RemoteIdentity) -> any RemoteControlPort {
        MPRISRemote(identity: identity, logger: logger)
    }
}
