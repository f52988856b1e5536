import DescantCore
import DescantMixing
import DescantTestSupport
import DescantTesting
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import DescantGStreamer

/// A speed that is asked for while the file is being read from its beginning again.
@Suite(.timeLimit(.minutes(5))) struct SpeedAtTheStartTests {
    private let fixture: NetworkFixture

    init() throws { fixture = try NetworkFixture() }

    /// The server gives the whole file where a part is asked for, so that the deck begins anew; then it gives parts.
    @Test func itHoldsWhenTheFirstSampleIsThere() async throws {
        let flac = fixture.flac
        let gate = WebGate()
        let isRestarted = SharedFlag()
        let count = Mutex(0)
        defer { gate.open() }
        let server = try LoopbackWebServer { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if request.rangeStart ?? 0 > 0 {
                return isRestarted.isOn ? WebAnswer.file(flac, for: request) : WebAnswer(body: flac)
            }
            if number == 1 { return WebAnswer(body: flac) }
            isRestarted.turnOn()
            return WebAnswer(body: flac, ending: .hold(after: 0, gate))
        }
        let opened = try await fixture.open(
            server.url("/noise.flac"), access: NetworkAccess(timeLimit: 60, reconnectLimit: 0))
        defer { opened.deck.close() }
        let deck = try #require(opened.deck as? PlaybinDeck)
        #expect(try DeckDrain.read(deck, channels: 2, atMost: 48_000).failure == nil)
        deck.seek(toFrame: 240_000)
        let limit = ContinuousClock.now + .seconds(30)
        while !isRestarted.isOn, ContinuousClock.now < limit {
            _ = deck.waitUntilReadable(deadline: EventCount.deadline(in: 0.01))
        }
        try #require(isRestarted.isOn)
        deck.setRate(2, fromFrame: 240_000)
        // The deck has noticed that there is nothing to move yet.
        deck.pipeline.queue.sync {}
        gate.open()
        let heard = try DeckDrain.read(deck, channels: 2)
        #expect(heard.failure == nil, "\(String(describing: heard.failure))")
        #expect(deck.rate == 2)
        #expect(abs(heard.samples.frameCount - 120_000) < 4_800, "\(heard.samples.frameCount)")
    }
}
