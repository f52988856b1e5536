/// Carries out what a remote control asks for.
public protocol RemoteCommandTarget: AnyObject, Sendable {
    /// Carries out a command. Returns when it has taken effect and the state it led to was given to the
    /// ``RemoteControlPort``, so that who asks afterwards sees it.
    ///
    /// A command that makes no sense any more (a position within a track that is not the current one, a track that is gone) has no
    /// effect and is no error.
    ///
    /// - Parameter command: What is wanted.
    /// - Throws: Why it was not done; the text reaches whoever asked. ``CoreError/unsupported(_:)`` for what this target cannot do.
    func perform(_ command: RemoteCommand) async throws

    /// Where the current track is, in seconds from its beginning, as heard; 0 without a track.
    var remotePosition: Double { get async }
}
