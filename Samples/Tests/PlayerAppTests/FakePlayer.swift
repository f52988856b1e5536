import Foundation
import PlayerApp
import Synchronization

/// A player that records commands and sends the updates a test gives it.
final class FakePlayer: PlayerControlling {
    let updates: AsyncStream<PlayerUpdate>
    let feed: AsyncStream<PlayerUpdate>.Continuation
    private let log = Mutex<[String]>([])
    private let refusal = Mutex<String?>(nil)

    struct Refusal: Error, CustomStringConvertible { let description: String }

    init() { (updates, feed) = AsyncStream.makeStream() }

    var commands: [String] { log.withLock { $0 } }

    func refuse(_ reason: String?) { refusal.withLock { $0 = reason } }

    private func record(_ command: String) throws {
        log.withLock { $0.append(command) }
        if let reason = refusal.withLock({ $0 }) { throw Refusal(description: reason) }
    }

    func start() async throws { try record("start") }
    func togglePause() async throws { try record("togglePause") }
    func next() async throws { try record("next") }
    func previous() async throws { try record("previous") }
    func jump(to index: Int) async throws { try record("jump \(index)") }
    func seek(by seconds: TimeInterval) async throws { try record("seek \(seconds)") }
    func setVolume(_ volume: Double) async { log.withLock { $0.append("volume \(volume)") } }
    func toggleOverlay() async throws { try record("toggleOverlay") }
    func stop(fade: TimeInterval) async { feed.finish() }
}
