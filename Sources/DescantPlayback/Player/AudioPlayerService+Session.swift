internal import DescantCore

/// The player as a client of the audio session.
extension AudioPlayerService: AudioSessionClient {
    /// The engine that the player plays on, for the session's log.
    public var sessionName: String { engine.identifier }

    /// Pauses everything that the player plays: the main line, overlays, effects.
    ///
    /// - Parameter cause: Why.
    /// - Returns: What ``resumeForSession(_:)`` takes; `nil` when nothing was played.
    public func pauseForSession(_ cause: AudioSessionCause) async -> InterruptionToken? {
        let isSounding =
            state == .playing || state == .preparing || soundingEffects > 0
            || overlays.isSounding
        guard isSounding else { return nil }
        logger.record(
            LogRecord(
                "engine.pause",
                fields: [.engine: .open(engine.identifier), .action: "pause", .reason: .open(cause.description)]))
        return InterruptionToken(commands: await pauseEverything())
    }

    /// Goes on with what the session has paused, unless somebody gave a command since.
    ///
    /// - Parameter mark: What ``pauseForSession(_:)`` returned.
    public func resumeForSession(_ mark: InterruptionToken) async {
        guard mark.commands == commands.userCommandCount else { return }
        logger.record(
            LogRecord(
                "engine.play",
                fields: [.engine: .open(engine.identifier), .action: "play", .reason: "interruptionEnded"]))
        await resumeEverything()
    }

    /// Plays more quietly, on top of the volume that was set.
    ///
    /// - Parameter gain: Linear, 0…1.
    /// - Returns: Always `true`.
    public func setSessionGain(_ gain: Double) async -> Bool {
        settings.volume.sessionGain = gain
        await applyVolume()
        return true
    }

    /// Nothing: the engine stands still by itself and reports it.
    ///
    /// - Parameter reason: What the server or the system said.
    public func sessionServerLost(_ reason: String) async {}

    /// Nothing: the engine goes on by itself.
    public func sessionServerRestored() async {}

    // MARK: Steps

    func activateSession(mixes: Bool? = nil, reason: String = "play") async throws {
        let options: AudioSessionOptions = mixes ?? configuration.mixWithOthers ? .mixWithOthers : []
        do {
            try await session?.activate(
                for: self, as: AudioSessionConfiguration(role: .music, options: options), reason: reason)
        } catch CoreError.invalidState(let reason) {
            throw AudioPlayerError.sessionError(reason)
        }
    }

    func deactivateSession(_ reason: String) async { await session?.deactivate(for: sessionClient, reason: reason) }

    func setMasterVolume(_ volume: Double) async {
        settings.volume.level = volume
        await applyVolume()
    }

    /// Brings the mix to the volume that was set and that the session allows.
    func applyVolume() async {
        await engine.setMasterVolume(settings.volume.gain)
    }
}
