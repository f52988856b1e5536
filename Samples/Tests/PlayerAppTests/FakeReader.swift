import PlayerApp
import Synchronization

/// A reader that records commands, and refuses those that a test selects.
final class FakeReader: ReaderControlling {
    struct Refusal: Error, CustomStringConvertible { let description: String }

    let updates: AsyncStream<ReaderUpdate>
    let feed: AsyncStream<ReaderUpdate>.Continuation
    private let told = Mutex<[String]>([])
    private let refusal: Mutex<String?>
    private let moves = Mutex((running: 0, most: 0))

    init(refusal: String? = nil) {
        (updates, feed) = AsyncStream.makeStream()
        self.refusal = Mutex(refusal)
    }

    var commands: [String] { told.withLock { $0 } }
    /// How many moves were carried out at the same time, at most.
    var simultaneousMoves: Int { moves.withLock { $0.most } }

    func refuse(_ reason: String?) { refusal.withLock { $0 = reason } }

    private func note(_ command: String) throws {
        told.withLock { $0.append(command) }
        if let refusal = refusal.withLock({ $0 }) { throw Refusal(description: refusal) }
    }

    func start() async throws { try note("start") }
    func togglePause() async throws { try note("pause") }
    func pause() async { told.withLock { $0.append("hold") } }
    func go(to place: Int) async throws { try note("go \(place)") }
    func useEngine(_ name: String) async throws { try note("engine \(name)") }
    func useVoice(_ identifier: String) async throws { try note("voice \(identifier)") }
    func move(by step: ReaderStep, forward: Bool) async throws {
        moves.withLock { moves in
            moves.running += 1
            moves.most = max(moves.most, moves.running)
        }
        // Others may begin meanwhile.
        for _ in 0..<10 { await Task.yield() }
        moves.withLock { $0.running -= 1 }
        try note("\(forward ? "next" : "previous") \(step)")
    }
    func setRate(_ rate: Double) async throws { try note("rate \(rate)") }
    func setVolume(_ volume: Double) async { told.withLock { $0.append("volume \(volume)") } }
    func useNextEngine() async throws { try note("engine") }
    func useNextVoice() async throws { try note("voice") }
    func stop() async {
        told.withLock { $0.append("stop") }
        feed.finish()
    }
}
