import DescantCore
import DescantMixing
import DescantTesting
import Testing

/// Reads decks the way an offline render does.
enum DeckDrain {
    /// A time limit that only a hang reaches.
    static let timeLimit: UInt64 = 30_000_000_000

    /// The frames read and the end of the deck.
    struct Outcome {
        var samples: SampleBuffer
        /// The position of the first frame.
        var firstPosition: Int64
        /// The position after the last frame.
        var endPosition: Int64
        /// The error that ended the deck, if one did.
        var failure: CoreError?
    }

    /// Reads until the deck's final condition or a number of frames.
    static func read(_ deck: any Deck, channels: Int, atMost limit: Int = .max, block: Int = 480) throws -> Outcome {
        var samples: [Float] = []
        var memory = [Float](repeating: .nan, count: block * channels)
        var first: Int64?
        var position: Int64 = 0
        while samples.count / channels < limit {
            let wanted = min(block, limit - samples.count / channels)
            let part = memory.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map { deck.read(into: $0, frames: wanted) }
            }
            let read = try #require(part)
            first = first ?? (read.frames > 0 ? read.position : nil)
            position = read.position + Int64((Double(read.frames) * deck.rate).rounded())
            samples.append(contentsOf: memory[0..<read.frames * channels])
            switch read.condition {
            case .complete: continue
            case .starved:
                let deadline = MonotonicClock().now() + timeLimit
                try #require(deck.waitUntilReadable(deadline: deadline), "the deck gave nothing for 30 s")
            case .ended: return outcome(deck, channels, samples, first, position, nil)
            case .truncated(let error), .failed(let error):
                return outcome(deck, channels, samples, first, position, error)
            }
        }
        return outcome(deck, channels, samples, first, position, nil)
    }

    private static func outcome(
        _ deck: any Deck, _ channels: Int, _ samples: [Float], _ first: Int64?, _ end: Int64, _ failure: CoreError?
    ) -> Outcome {
        Outcome(
            samples: SampleBuffer(format: PCMFormat(sampleRate: deck.sampleRate, channels: channels), samples: samples),
            firstPosition: first ?? end, endPosition: end, failure: failure)
    }
}
