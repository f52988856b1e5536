import Descant
import DescantTesting
import Foundation
import Synchronization
import Testing

/// The heard position compared with the blocks of the output in real time.
@Suite(.timeLimit(.minutes(5))) struct PositionTests {
    /// One block as it left the output.
    private struct Heard: Sendable {
        var time: UInt64
        var frame: Int64
    }

    @Test func heardPositionIsWithinTenMillisecondsOfWhatComesOut() async throws {
        // A busy machine may deliver every block late; the test then tries again.
        var error = Double.infinity
        for _ in 0..<3 where abs(error) > 0.01 { error = try await measure() }
        #expect(abs(error) <= 0.01, "\(error) s")
    }

    /// The lead of the position over the delivered blocks, in seconds.
    private func measure() async throws -> Double {
        let clock = MonotonicClock()
        let blocks = AsyncStream<Heard>.makeStream()
        let directory = try TemporaryDirectory()
        let engine = try OfflineEngine.environment.makeEngine(
            output: .callback(.realTime) { block in
                blocks.continuation.yield(Heard(time: clock.now(), frame: block.frame))
            })
        let file = try FixtureEncoder().make(.sine(440, seconds: 5), as: .flac(bits: 16), named: "tone", in: directory)
        let deck = try await engine.openDeck(.url(file), gain: 1, isClip: false).id
        try await engine.play(deck, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        var errors: [Double] = []
        for await heard in blocks.stream {
            let position = await engine.status(of: engine.mainLayer).position
            let since = Double(clock.now() - heard.time) / 1e9
            let expected = Double(heard.frame) / 48_000 + since
            if expected > 0.5 { errors.append(position - expected) }
            if expected > 2 { break }
        }
        await engine.shutdown()
        // A block can be delivered late but not early, so the smallest errors are those of the position.
        return try #require(errors.sorted().dropFirst(errors.count / 10).first)
    }
}
