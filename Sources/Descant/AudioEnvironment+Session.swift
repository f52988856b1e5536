internal import DescantCore
internal import DescantDesktop
public import DescantGStreamer
public import DescantPlayback
internal import Synchronization

extension AudioEnvironment {
    /// The audio session for what plays to an output: that of the sound server it goes to.
    ///
    /// Everything that plays to one server shares one session. A session that the host gave serves all.
    ///
    /// - Parameter output: Where something plays.
    /// - Returns: The session; `nil` for an output that goes to no sound server.
    public func session(for output: OutputDestination) -> AudioSessionCoordinator? {
        guard case .pulse(_, _, let server) = output else { return nil }
        guard let server, !isSessionGiven else { return session }
        return otherSessions.withLock { sessions in
            if let present = sessions[server] { return present }
            let new = Self.makeSession(server: server, policy: sessionPolicy, clock: clock, logger: logger)
            sessions[server] = new
            return new
        }
    }

    static func makeSession(
        server: String?, policy: AudioSessionPolicy, clock: any ClockPort, logger: any LoggerPort
    ) -> AudioSessionCoordinator {
        AudioSessionCoordinator(
            port: PulseAudioSession(server: server, clock: clock),
            others: SessionBus.address.map { MPRISOtherPlayers(busAddress: $0, logger: logger) }, policy: policy,
            clock: clock, logger: logger)
    }
}
