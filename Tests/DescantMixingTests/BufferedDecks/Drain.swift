import DescantCore
import DescantMixing
import DescantTesting
import Testing

/// Reads decks the way an offline render does.
enum Drain {
    struct Outcome {
        var samples: SampleBuffer
        var firstPosition: Int64
        var failure: CoreError?
    }

    static func read(_ deck: any Deck, channels: Int, atMost limit: Int = .max, block: Int = 480) throws -> Outcome {
        var samples: [Float] = []
        var memory = [Float](repeating: .nan, count: block * channels)
        var first: Int64?
        var failure: CoreError?
        reading: while samples.count / channels < limit {
            let wanted = min(block, limit - samples.count / channels)
            let read = try #require(
                memory.withUnsafeMutableBufferPointer { memory in
                    memory.baseAddress.map { deck.read(into: $0, frames: wanted) }
                })
            first = first ?? (read.frames > 0 ? read.position : nil)
            samples.append(contentsOf: memory[0..<read.frames * channels])
            switch read.condition {
            case .complete: continue
            case .starved:
                let deadline = MonotonicClock().now() + 30_000_000_000
                try #require(deck.waitUntilReadable(deadline: deadline), "the deck gave nothing for 30 s")
            case .ended: break reading
            case .truncated(let error), .failed(let error):
                failure = error
                break reading
            }
        }
        let format = PCMFormat(sampleRate: deck.sampleRate, channels: channels)
        return Outcome(
            samples: SampleBuffer(format: format, samples: samples), firstPosition: first ?? -1, failure: failure)
    }
}
