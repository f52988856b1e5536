import Foundation
import PlayerApp

/// A player that sends given updates and ignores commands.
struct ScriptedPlayer: PlayerControlling {
    let updates: AsyncStream<PlayerUpdate>

    init(_ script: [PlayerUpdate]) {
        updates = AsyncStream { continuation in
            for update in script { continuation.yield(update) }
            continuation.finish()
        }
    }

    func start() async throws {}
    func togglePause() async throws {}
    func next() async throws {}
    func previous() async throws {}
    func jump(to index: Int) async throws {}
    func seek(by seconds: TimeInterval) async throws {}
    func setVolume(_ volume: Double) async {}
    func toggleOverlay() async throws {}
    func stop(fade: TimeInterval) async {}
}
