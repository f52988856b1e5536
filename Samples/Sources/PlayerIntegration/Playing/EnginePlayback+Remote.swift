internal import Descant
internal import Synchronization

/// The desktop's media controls: media keys, the player panel, `playerctl --player descant`.
extension EnginePlayback {
    func makeBridge(quit: @escaping @Sendable () -> Void) -> RemoteControlBridge {
        let remote = environment.makeRemoteControl(RemoteIdentity(name: "descant", displayName: "Descant"))
        return RemoteControlBridge(
            player: controller, remote: remote,
            options: RemoteControlOptions(
                quit: { quit() },
                shouldPerform: { [weak self] command in
                    guard let self, command != .quit else { return true }
                    try await self.carryOut(command)
                    return false
                }))
    }

    /// Carries out a command; content that was stopped from afar can be played again from there.
    private func carryOut(_ command: RemoteCommand) async throws {
        switch command {
        case .stop:
            isHeld.withLock { $0 = true }
            try await controller.perform(command)
        case .open:
            isHeld.withLock { $0 = true }
            try await controller.perform(command)
            isHeld.withLock { $0 = false }
        case .play, .togglePlayPause:
            try await controller.perform(command)
            isHeld.withLock { $0 = false }
        default: try await controller.perform(command)
        }
    }
}
