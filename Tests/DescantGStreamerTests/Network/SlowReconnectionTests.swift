import DescantCore
import DescantMixing
import DescantTestSupport
import DescantTesting
import Dispatch
import Foundation
import Testing

@testable import DescantGStreamer

/// A server that is slow to send when a lost connection is made again.
@Suite(.timeLimit(.minutes(5))) struct SlowReconnectionTests {
    private let fixture: NetworkFixture

    init() throws { fixture = try NetworkFixture() }

    /// A deck that has lost its connection and waits for the server's answer to the next one.
    private func waitingDeck(
        _ server: LoopbackWebServer, isLost: SharedFlag, isAsked: SharedFlag
    ) async throws -> PlaybinDeck {
        let opened = try await fixture.open(
            server.url("/noise.flac"), access: NetworkAccess(timeLimit: 60, reconnectLimit: 60))
        let deck = try #require(opened.deck as? PlaybinDeck)
        var memory = [Float](repeating: 0, count: 960)
        func read() {
            _ = memory.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map { deck.read(into: $0, frames: 480) }
            }
            _ = deck.waitUntilReadable(deadline: EventCount.deadline(in: 0.01))
        }
        let limit = ContinuousClock.now + .seconds(30)
        while deck.pipeline.monitor.failure == nil, ContinuousClock.now < limit { read() }
        isLost.turnOn()
        while !isAsked.isOn, ContinuousClock.now < limit { read() }
        try #require(isAsked.isOn)
        return deck
    }

    private func makeServer(isLost: SharedFlag, isAsked: SharedFlag, _ gate: WebGate) throws -> LoopbackWebServer {
        let flac = fixture.flac
        return try LoopbackWebServer { request in
            guard isLost.isOn else {
                let left = max(0, flac.count / 2 - (request.rangeStart ?? 0))
                return .file(flac, for: request, ending: .cut(after: left))
            }
            isAsked.turnOn()
            return .file(flac, for: request, ending: .hold(after: 0, gate))
        }
    }

    @Test func theFileGoesOnAtItsPlaceAndSpeed() async throws {
        let (isLost, isAsked, gate) = (SharedFlag(), SharedFlag(), WebGate())
        defer { gate.open() }
        let server = try makeServer(isLost: isLost, isAsked: isAsked, gate)
        let deck = try await waitingDeck(server, isLost: isLost, isAsked: isAsked)
        defer { deck.close() }
        let asked = server.requests.count
        deck.setRate(1.5, fromFrame: 240_000)
        // Longer than one wait for a first sample.
        #expect(!deck.waitUntilReadable(deadline: EventCount.deadline(in: 4)))
        gate.open()
        let heard = try DeckDrain.read(deck, channels: 2)
        #expect(heard.failure == nil, "\(String(describing: heard.failure))")
        #expect(deck.rate == 1.5)
        #expect(abs(heard.samples.frameCount - 160_000) < 4_800, "\(heard.samples.frameCount)")
        #expect(server.requests.dropFirst(asked).contains { ($0.rangeStart ?? 0) > 0 })
    }

    @Test func aSeekToTheEndEndsTheWait() async throws {
        let (isLost, isAsked, gate) = (SharedFlag(), SharedFlag(), WebGate())
        defer { gate.open() }
        let server = try makeServer(isLost: isLost, isAsked: isAsked, gate)
        let deck = try await waitingDeck(server, isLost: isLost, isAsked: isAsked)
        defer { deck.close() }
        deck.seek(toFrame: 480_000)
        // The queue is free again although the server still sends nothing.
        deck.pipeline.queue.sync {}
        #expect(!deck.pipeline.monitor.hasSample)
        let rest = try DeckDrain.read(deck, channels: 2)
        #expect(rest.failure == nil && rest.samples.frameCount == 0 && rest.endPosition == 480_000)
    }
}
