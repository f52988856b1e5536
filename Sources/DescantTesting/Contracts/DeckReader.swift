internal import DescantCore
internal import DescantMixing

/// Reads a deck the way an offline render does.
final class DeckReader {
    /// The result of one read.
    struct Part: CustomStringConvertible {
        var frames: Int
        var condition: DeckRead.Condition

        var isFinal: Bool {
            switch condition {
            case .ended, .failed, .truncated: true
            case .complete, .starved: false
            }
        }

        var description: String { "\(frames) frames, \(condition)" }
    }

    let deck: any Deck
    /// The position of the first frame of the last ``read(_:block:_:)``.
    private(set) var firstPosition: Int64?
    private let channels: Int
    private var memory: [Float]
    private var position: Int64 = 0
    /// The time after which a read counts as hanging, in nanoseconds.
    private static let patience: UInt64 = 30_000_000_000

    init(_ deck: any Deck, channels: Int) {
        self.deck = deck
        self.channels = channels
        memory = [Float](repeating: 0, count: 8_192 * channels)
    }

    var now: UInt64 { MonotonicClock().now() }

    func readOnce(_ frames: Int) -> Part {
        let read = memory.withUnsafeMutableBufferPointer { buffer -> DeckRead in
            guard let base = buffer.baseAddress else { return DeckRead(frames: 0, position: 0, condition: .ended) }
            return deck.read(into: base, frames: frames)
        }
        position = read.position
        return Part(frames: read.frames, condition: read.condition)
    }

    /// Reads up to a number of frames, or to the final condition.
    func read(_ limit: Int, block: Int, _ collector: inout FindingCollector) -> SampleBuffer {
        var result = SampleBuffer(format: PCMFormat(sampleRate: deck.sampleRate, channels: channels))
        firstPosition = nil
        var expected: Int64?
        while result.frameCount < limit {
            let part = readOnce(min(block, limit - result.frameCount))
            if part.frames > 0 {
                firstPosition = firstPosition ?? position
                if let expected, deck.rate == 1 {
                    collector.expectEqual(position, expected, "positions advance by the number of frames")
                }
                expected = position + Int64(part.frames)
            }
            result.samples += memory[..<(part.frames * channels)]
            if part.isFinal { break }
            if case .starved = part.condition, !deck.waitUntilReadable(deadline: now + Self.patience) {
                collector.expect(false, "a deck returns frames or ends", seen: "nothing for 30 s")
                break
            }
        }
        return result
    }
}
