internal import Dispatch
internal import DescantCore
package import DescantMixing

/// Checks the rules that every deck must keep; see `Deck` for the rules in full.
package struct DeckContract: Sendable {
    /// The sound of the source, at its own sample rate and with the channels of the mix.
    private let content: SampleBuffer
    /// The maximum difference of a sample, linear; `nil` for a lossy source of noise.
    private let tolerance: Double?
    private let open: @Sendable () async throws -> any Deck

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - content: The sound of the source, at its own sample rate and with the channels of the mix; 0.5 s or longer.
    ///   - tolerance: The maximum difference of a sample, linear; `nil` for a lossy source of noise.
    ///   - open: Opens the source; called several times.
    package init(content: SampleBuffer, tolerance: Double? = 0, open: @escaping @Sendable () async throws -> any Deck) {
        self.content = content
        self.tolerance = tolerance
        self.open = open
    }

    /// Runs every check. Blocks while decks decode.
    ///
    /// - Returns: The broken rules.
    package func findings() async throws -> [ContractFinding] {
        var collector = FindingCollector()
        for block in [480, 1, 4_799] {
            let deck = try await open()
            checkReading(DeckReader(deck, channels: content.format.channels), block: block, &collector)
            deck.close()
        }
        let deck = try await open()
        checkSeeks(DeckReader(deck, channels: content.format.channels), &collector)
        deck.close()
        for rate in [0.5, 2] {
            let deck = try await open()
            checkRate(DeckReader(deck, channels: content.format.channels), rate, &collector)
            deck.close()
        }
        checkClosing(try await open(), &collector)
        return collector.findings
    }

    // MARK: Reading

    private func checkReading(_ reader: DeckReader, block: Int, _ collector: inout FindingCollector) {
        let deck = reader.deck
        collector.expectEqual(deck.sampleRate, content.format.sampleRate, "a deck has the sample rate of its source")
        if deck.isFrameCountExact {
            collector.expectEqual(
                deck.frameCount, Int64(content.frameCount), "a length that is marked as exact is exact to the frame")
        }
        let limit = block == 1 ? 2_000 : Int.max
        let read = reader.read(limit, block: block, &collector)
        let expected = content.slice(0..<limit)
        collector.expectEqual(read.frameCount, expected.frameCount, "a deck returns every frame, and no more")
        compare(read, from: 0, "a deck's samples are those of its source for every block size", &collector)
        guard limit == Int.max else { return }
        for _ in 0..<3 {
            let after = reader.readOnce(480)
            collector.expect(
                after.frames == 0 && after.isFinal, "after its end a deck returns 0 frames and its final condition",
                seen: "\(after)")
        }
        collector.expect(
            deck.waitUntilReadable(deadline: reader.now), "a wait for a deck that has ended returns at once",
            seen: "a wait")
    }

    private func checkSeeks(_ reader: DeckReader, _ collector: inout FindingCollector) {
        let count = Int64(content.frameCount)
        _ = reader.read(1_000, block: 480, &collector)
        for target in [count / 2 + 1, 0, count - 1_001, 1, count / 3] {
            reader.deck.seek(toFrame: target)
            check(reader, at: target, "a seek to frame \(target) is exact", &collector)
        }
        for target in [count / 2, 17, count / 4] { reader.deck.seek(toFrame: target) }
        check(reader, at: count / 4, "the last of several seeks is carried out", &collector)
        reader.deck.seek(toFrame: count)
        collector.expectEqual(
            reader.read(480, block: 480, &collector).frameCount, 0, "a seek to the end leads to the end")
        reader.deck.seek(toFrame: 0)
        collector.expectEqual(
            reader.read(.max, block: 4_096, &collector).frameCount, content.frameCount,
            "a deck that has ended can be read again after a seek")
    }

    private func check(_ reader: DeckReader, at target: Int64, _ rule: String, _ collector: inout FindingCollector) {
        let read = reader.read(min(9_000, content.frameCount - Int(target)), block: 480, &collector)
        collector.expectEqual(reader.firstPosition, target, "\(rule): the reported position")
        compare(read, from: Int(target), rule, &collector)
    }

    private func compare(_ read: SampleBuffer, from frame: Int, _ rule: String, _ collector: inout FindingCollector) {
        let expected = content.slice(frame..<frame + read.frameCount)
        if let tolerance {
            let difference = LevelAnalysis.maximumDifference(read.samples, expected.samples)
            collector.expect(difference <= tolerance, rule, seen: "a difference of \(difference)")
        } else if read.frameCount > 1_000 {
            let excerpt = Array(read.channel(0).prefix(16_384))
            let start = max(0, frame - 4_096)
            let found = Alignment(of: excerpt, in: content.slice(start..<frame + excerpt.count + 4_096).channel(0))
            collector.expect(
                start + found.frame == frame && found.correlation > 0.3, rule,
                seen: "the sound of frame \(start + found.frame), with a correlation of \(found.correlation)")
        }
    }

    // MARK: Speed

    private func checkRate(_ reader: DeckReader, _ rate: Double, _ collector: inout FindingCollector) {
        let start = content.frameCount / 4
        _ = reader.read(start, block: 480, &collector)
        reader.deck.setRate(rate, fromFrame: Int64(start))
        let frames = reader.read(.max, block: 480, &collector).frameCount
        let wanted = Double(content.frameCount - start) / rate
        let seconds = abs(Double(frames) - wanted) / Double(content.format.sampleRate)
        collector.expect(
            seconds <= 0.1, "at a speed of \(rate) a deck lasts its duration divided by the speed, within 100 ms",
            seen: "\(frames) frames instead of \(wanted)")
        collector.expectEqual(reader.deck.rate, rate, "a deck reports the speed of the frames that it returns")
        collector.expect(
            reader.firstPosition.map { abs($0 - Int64(start)) <= 1 } ?? false, "a change of speed keeps the position",
            seen: "frame \(String(describing: reader.firstPosition)) instead of \(start)")
    }

    // MARK: Closing

    private func checkClosing(_ deck: any Deck, _ collector: inout FindingCollector) {
        let reader = DeckReader(deck, channels: content.format.channels)
        _ = reader.read(100, block: 100, &collector)
        let isDone = EventCount()
        let thread = DispatchQueue(label: "descant.deck-contract")
        deck.seek(toFrame: 0)
        thread.async {
            _ = deck.waitUntilReadable(deadline: MonotonicClock().now() + 60_000_000_000)
            isDone.raise()
        }
        deck.close()
        deck.close()
        collector.expect(
            isDone.wait(after: 0, deadline: MonotonicClock().now() + 10_000_000_000),
            "closing a deck ends a wait for it",
            seen: "a wait of more than 10 s")
        let after = reader.readOnce(480)
        collector.expect(after.frames == 0, "a closed deck returns 0 frames", seen: "\(after)")
        deck.seek(toFrame: 0)
    }
}
