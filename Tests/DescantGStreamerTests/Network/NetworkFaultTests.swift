import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Synchronization
import Testing

/// Connections that are cut or stall, and servers that announce wrong lengths.
@Suite(.timeLimit(.minutes(5))) struct NetworkFaultTests {
    private let fixture: NetworkFixture

    init() throws { fixture = try NetworkFixture() }

    /// Counts requests, so that every answer can be different.
    private final class Count: Sendable {
        private let number = Mutex(0)

        func next() -> Int {
            number.withLock { number in
                number += 1
                return number
            }
        }
    }

    /// Plays everything and compares it with what was encoded. The limits are those that a busy machine does not reach.
    private func playsWhole(
        _ server: LoopbackWebServer, access: NetworkAccess = NetworkAccess(timeLimit: 60, reconnectLimit: 60)
    ) async throws {
        let opened = try await fixture.open(server.url("/noise.flac"), access: access)
        defer { opened.deck.close() }
        let all = try DeckDrain.read(opened.deck, channels: 2)
        #expect(all.failure == nil, "\(String(describing: all.failure))")
        #expect(all.samples.frameCount == fixture.samples.frameCount)
        #expect((all.samples == fixture.samples) == true)
    }

    @Test(arguments: [0.2, 0.5, 0.9])
    func cutConnectionIsReconnected(at share: Double) async throws {
        let (flac, count) = (fixture.flac, Count())
        let cut = Int(Double(flac.count) * share)
        let server = try LoopbackWebServer { request in
            .file(flac, for: request, ending: count.next() == 1 ? .cut(after: cut) : .complete)
        }
        try await playsWhole(server)
        #expect(server.requests.dropFirst().contains { ($0.rangeStart ?? 0) > 0 })
    }

    @Test func serverThatIsAwayForAWhile() async throws {
        let (flac, count, isAway) = (fixture.flac, Count(), SharedFlag())
        let server = try LoopbackWebServer { request in
            guard isAway.isOn else {
                return .file(
                    flac, for: request, ending: .cut(after: max(0, flac.count / 2 - (request.rangeStart ?? 0))))
            }
            return switch count.next() {
            case 1...4: .file(flac, for: request, ending: .hangUp)
            case 5: WebAnswer(status: 503)
            default: .file(flac, for: request)
            }
        }
        let opened = try await fixture.open(server.url("/noise.flac"), access: NetworkAccess(reconnectLimit: 60))
        defer { opened.deck.close() }
        isAway.turnOn()
        let all = try DeckDrain.read(opened.deck, channels: 2)
        #expect(all.failure == nil, "\(String(describing: all.failure))")
        #expect((all.samples == fixture.samples) == true)
        #expect(count.next() > 6)
        // The report is sent on another thread than the sound.
        try await fixture.events.wait { $0.percentages.last == 100 }
        #expect(fixture.events.all.percentages.contains(0))
    }

    @Test func cutConnectionIsReconnectedWithoutRanges() async throws {
        let (flac, count) = (fixture.flac, Count())
        let server = try LoopbackWebServer { _ in
            WebAnswer(body: flac, ending: count.next() == 1 ? .cut(after: flac.count / 2) : .complete)
        }
        try await playsWhole(server, access: NetworkAccess(reconnectLimit: 60))
    }

    @Test func stalledConnectionIsReconnected() async throws {
        let (flac, count) = (fixture.flac, Count())
        let server = try LoopbackWebServer { request in
            .file(flac, for: request, ending: count.next() == 1 ? .stall(after: flac.count / 2) : .complete)
        }
        try await playsWhole(server, access: NetworkAccess(reconnectLimit: 60))
    }

    /// The newest place counts, whether the next attempt is still to come or waits for an answer.
    @Test(arguments: [WebAnswer.Ending.hangUp, .silence])
    func seekDuringAnOutageIsHeardAfterwards(outage: WebAnswer.Ending) async throws {
        let (flac, isAway, isBack) = (fixture.flac, SharedFlag(), SharedFlag())
        let server = try LoopbackWebServer { request in
            if isBack.isOn { return .file(flac, for: request) }
            let left = max(0, flac.count / 2 - (request.rangeStart ?? 0))
            return isAway.isOn ? WebAnswer(ending: outage) : .file(flac, for: request, ending: .cut(after: left))
        }
        let opened = try await fixture.open(
            server.url("/noise.flac"), access: NetworkAccess(timeLimit: 3, reconnectLimit: 60))
        defer { opened.deck.close() }
        isAway.turnOn()
        var memory = [Float](repeating: 0, count: 960)
        var frames = 0
        while !fixture.events.all.percentages.contains(0) { _ = opened.deck.isWaiting(&memory, &frames, seconds: 0.01) }
        #expect(frames < 300_000)
        opened.deck.seek(toFrame: 100_000)
        opened.deck.seek(toFrame: 400_000)
        // As a player that reads on.
        for _ in 0..<20 { _ = opened.deck.isWaiting(&memory, &frames, seconds: 0.01) }
        opened.deck.seek(toFrame: 333_333)
        isBack.turnOn()
        let remainder = try DeckDrain.read(opened.deck, channels: 2)
        #expect(remainder.failure == nil, "\(String(describing: remainder.failure))")
        #expect(remainder.firstPosition == 333_333)
        #expect((remainder.samples == fixture.samples.slice(333_333..<480_000)) == true)
    }

    /// What was read of the lost connection is not heard at the new place.
    @Test func seekAfterALossOnAServerWithoutRanges() async throws {
        let (flac, isBack) = (fixture.flac, SharedFlag())
        let server = try LoopbackWebServer { _ in
            WebAnswer(body: flac, ending: isBack.isOn ? .complete : .cut(after: flac.count / 2))
        }
        let opened = try await fixture.open(server.url("/noise.flac"), access: NetworkAccess(reconnectLimit: 60))
        defer { opened.deck.close() }
        // The loss comes long before its place is heard.
        let some = try DeckDrain.read(opened.deck, channels: 2, atMost: 100_000, block: 500)
        #expect(some.failure == nil)
        isBack.turnOn()
        opened.deck.seek(toFrame: 333_333)
        let remainder = try DeckDrain.read(opened.deck, channels: 2)
        #expect(remainder.failure == nil && remainder.firstPosition == 333_333)
        #expect((remainder.samples == fixture.samples.slice(333_333..<480_000)) == true)
    }

    @Test func seekToTheEndDuringAnOutageEndsThere() async throws {
        let (flac, isAway) = (fixture.flac, SharedFlag())
        let server = try LoopbackWebServer { request in
            let left = max(0, flac.count / 2 - (request.rangeStart ?? 0))
            return isAway.isOn ? WebAnswer(ending: .silence) : .file(flac, for: request, ending: .cut(after: left))
        }
        let opened = try await fixture.open(
            server.url("/noise.flac"), access: NetworkAccess(timeLimit: 2, reconnectLimit: 60))
        defer { opened.deck.close() }
        isAway.turnOn()
        var memory = [Float](repeating: 0, count: 960)
        var frames = 0
        // Behind the loss there is one attempt after the other.
        let asked = server.requests.count
        while server.requests.count < asked + 3 { _ = opened.deck.isWaiting(&memory, &frames, seconds: 0.01) }
        opened.deck.seek(toFrame: 480_000)
        for _ in 0..<2 {
            let rest = try DeckDrain.read(opened.deck, channels: 2)
            #expect(rest.failure == nil && rest.samples.frameCount == 0 && rest.endPosition == 480_000)
            // The attempt that was under way is over by then.
            _ = opened.deck.isWaiting(&memory, &frames, seconds: 1)
        }
    }

    /// Without reconnections the file can be played again after a loss.
    @Test func seekAfterALossPlaysAgainWithoutReconnections() async throws {
        let (flac, isBack) = (fixture.flac, SharedFlag())
        let server = try LoopbackWebServer { request in
            let left = max(0, flac.count / 2 - (request.rangeStart ?? 0))
            return .file(flac, for: request, ending: isBack.isOn ? .complete : .cut(after: left))
        }
        let opened = try await fixture.open(
            server.url("/noise.flac"), access: NetworkAccess(reconnectLimit: 0))
        defer { opened.deck.close() }
        #expect(try DeckDrain.read(opened.deck, channels: 2).failure != nil)
        isBack.turnOn()
        opened.deck.seek(toFrame: 1_000)
        let again = try DeckDrain.read(opened.deck, channels: 2)
        #expect(again.failure == nil && again.firstPosition == 1_000)
        #expect((again.samples == fixture.samples.slice(1_000..<480_000)) == true)
    }

    @Test func serverThatStaysAwayEndsTheDeck() async throws {
        let (flac, isAway) = (fixture.flac, SharedFlag())
        let server = try LoopbackWebServer { request in
            isAway.isOn
                ? WebAnswer(ending: .hangUp)
                : .file(flac, for: request, ending: .cut(after: max(0, flac.count / 2 - (request.rangeStart ?? 0))))
        }
        let opened = try await fixture.open(server.url("/noise.flac"), access: NetworkAccess(reconnectLimit: 1))
        defer { opened.deck.close() }
        isAway.turnOn()
        let some = try DeckDrain.read(opened.deck, channels: 2)
        #expect(some.failure?.code == "ioError")
        #expect(some.failure?.message.hasPrefix(server.url("/noise.flac").absoluteString + " at ") == true)
        let frames = some.samples.frameCount
        #expect((some.samples == fixture.samples.slice(0..<frames)) == true)
        #expect(frames < fixture.samples.frameCount)
    }

    @Test func noReconnectionWhenTurnedOff() async throws {
        let flac = fixture.flac
        let server = try LoopbackWebServer { _ in WebAnswer(body: flac, ending: .cut(after: flac.count / 2)) }
        // GStreamer reads ahead, so the cut may come before the first frame is decoded; the open then fails.
        do {
            let opened = try await fixture.open(server.url("/noise.flac"), access: NetworkAccess(reconnectLimit: 0))
            defer { opened.deck.close() }
            let outcome = try DeckDrain.read(opened.deck, channels: 2)
            #expect(outcome.failure != nil)
            #expect(outcome.samples.duration < 6)
        } catch let error as CoreError {
            #expect(error.code == "ioError")
            #expect(error.message.contains(server.url("/noise.flac").absoluteString))
        }
    }

    @Test(arguments: [true, false])
    func tooLargeLength(knowsRanges: Bool) async throws {
        let flac = fixture.flac
        let server = try LoopbackWebServer { request in
            var answer = knowsRanges ? WebAnswer.file(flac, for: request) : WebAnswer(body: flac)
            if answer.status < 400 { answer.announcedLength = (answer.announcedLength ?? 0) + 100_000 }
            return answer
        }
        try await playsWhole(server)
    }

    @Test func tooSmallLength() async throws {
        let flac = fixture.flac
        let server = try LoopbackWebServer { _ in
            var answer = WebAnswer(body: flac, ending: .closed)
            answer.announcedLength = flac.count / 2
            return answer
        }
        let opened = try await fixture.open(server.url("/noise.flac"), access: NetworkAccess(reconnectLimit: 1))
        defer { opened.deck.close() }
        let some = try DeckDrain.read(opened.deck, channels: 2)
        #expect(some.failure?.code == "decodeError")
        #expect(some.failure?.message.contains("is truncated at") == true, "\(String(describing: some.failure))")
    }

    @Test func missingLength() async throws {
        let flac = fixture.flac
        let server = try LoopbackWebServer { _ in
            var answer = WebAnswer(body: flac, ending: .closed)
            answer.announcedLength = nil
            return answer
        }
        try await playsWhole(server)
    }

    @Test func rangesAnsweredWithTheWholeFile() async throws {
        let flac = fixture.flac
        let server = try LoopbackWebServer { _ in
            WebAnswer(headers: ["Accept-Ranges": "bytes"], body: flac)
        }
        let opened = try await fixture.open(server.url("/noise.flac"))
        defer { opened.deck.close() }
        _ = try DeckDrain.read(opened.deck, channels: 2, atMost: 4_800)
        opened.deck.seek(toFrame: 333_333)
        let remainder = try DeckDrain.read(opened.deck, channels: 2)
        #expect((remainder.samples == fixture.samples.slice(333_333..<480_000)) == true)
    }

    @Test func emptyBufferIsReported() async throws {
        let (flac, gate) = (fixture.flac, WebGate())
        let server = try LoopbackWebServer { request in
            .file(flac, for: request, ending: .hold(after: flac.count / 2, gate))
        }
        let opened = try await fixture.open(server.url("/noise.flac"), access: NetworkAccess(timeLimit: 60))
        defer { opened.deck.close() }
        // Half of the file is available: read it all, then release the rest. A busy machine may decode nothing for a
        // second, too.
        var memory = [Float](repeating: 0, count: 960)
        var frames = 0
        let limit = ContinuousClock.now + .seconds(30)
        while !opened.deck.isWaiting(&memory, &frames) || frames <= 100_000 || fixture.events.all.percentages.isEmpty,
            ContinuousClock.now < limit
        {
            await Task.yield()
        }
        #expect(frames > 100_000)
        gate.open()
        let remainder = try DeckDrain.read(opened.deck, channels: 2)
        #expect(remainder.failure == nil)
        #expect((remainder.samples == fixture.samples.slice(frames..<480_000)) == true)
        // The report is sent on another thread than the sound.
        try await fixture.events.wait { $0.percentages.last == 100 }
    }
}

extension Deck {
    /// Reads a block.
    ///
    /// - Returns: Whether no data arrived for some seconds, because the buffer is empty or the stream has ended.
    fileprivate func isWaiting(_ memory: inout [Float], _ frames: inout Int, seconds: Double = 1) -> Bool {
        let read = memory.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { self.read(into: $0, frames: 480) }
        }
        frames += read?.frames ?? 0
        guard let read else { return true }
        switch read.condition {
        case .complete: return false
        case .ended, .truncated, .failed: return true
        case .starved: break
        }
        return !waitUntilReadable(deadline: EventCount.deadline(in: seconds))
    }
}
