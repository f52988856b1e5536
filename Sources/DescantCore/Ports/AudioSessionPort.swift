/// The desktop's audio session: who may sound, and where to.
///
/// Implemented by an adapter for the sound server. An adapter reports and obeys; every decision (what pauses, what
/// resumes) is the coordinator's.
///
/// Rules that every adapter keeps, checked by the contract suite in `DescantTesting`:
/// - nothing is asked of the server before the first ``activate(_:)``;
/// - no call takes longer than 2 s, whatever the server does;
/// - ``situation`` already includes an event when the event is delivered, and is valid when ``activate(_:)`` returns;
/// - streams of this process are never foreign ones;
/// - events come while the session is active; a server that goes away and comes back while it is active is one
///   ``AudioSessionEvent/serverLost(reason:)`` and one ``AudioSessionEvent/serverRestored``, and the session stays active.
public protocol AudioSessionPort: Sendable {
    /// Announces that playback is about to begin; while active already, changes the configuration.
    ///
    /// - Parameter configuration: How the session presents itself. Options that are not in ``supportedOptions`` are
    ///   ignored.
    /// - Throws: ``CoreError/ioError(underlying:)`` when there is no server to play to or it does not answer; the session is
    ///   not active then.
    func activate(_ configuration: AudioSessionConfiguration) async throws

    /// Announces that playback has ended; harmless when not active.
    func deactivate() async

    /// The options that this adapter can carry out.
    var supportedOptions: AudioSessionOptions { get }

    /// What is known at this moment; read from memory, the server is not asked.
    var situation: AudioSessionSnapshot { get async }

    /// What happens from now on, while the session is active.
    var sessionEvents: EventStream<AudioSessionEvent> { get }
}
