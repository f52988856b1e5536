package import DescantCore
internal import Synchronization

/// A short sound in memory. It rewinds at once, so that its loop has no gap.
package final class ClipDeck: Deck {
    package let sampleRate: Int
    package let rate = 1.0
    package let rewindsInstantly = true
    package let isFrameCountExact = true
    private let channels: Int
    private let samples: [Float]
    private let position = Mutex<Int64>(0)

    /// Creates a deck over interleaved samples.
    package init(samples: [Float], format: PCMFormat) {
        sampleRate = format.sampleRate
        channels = format.channels
        self.samples = samples
    }

    /// Another deck over the same samples, at their beginning.
    package func copy() -> ClipDeck {
        ClipDeck(samples: samples, format: PCMFormat(sampleRate: sampleRate, channels: channels))
    }

    package var frameCount: Int64? { Int64(samples.count / channels) }

    package func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> DeckRead {
        position.withLock { position in
            let start = position
            let count = min(frames, samples.count / channels - Int(start))
            samples.withUnsafeBufferPointer { source in
                if let base = source.baseAddress, count > 0 {
                    buffer.update(from: base + Int(start) * channels, count: count * channels)
                }
            }
            position += Int64(count)
            return DeckRead(frames: count, position: start, condition: count < frames ? .ended : .complete)
        }
    }

    package func waitUntilReadable(deadline: UInt64) -> Bool { true }

    package func seek(toFrame frame: Int64) {
        position.withLock { $0 = min(max(0, frame), Int64(samples.count / channels)) }
    }

    package func setRate(_ rate: Double, fromFrame frame: Int64) { seek(toFrame: frame) }

    package func close() {}
}

extension ClipDeck {
    /// Reads a whole deck into memory.
    ///
    /// Blocks; call it on a dedicated queue.
    ///
    /// - Parameters:
    ///   - deck: The deck, at its beginning.
    ///   - channels: The channels it delivers.
    ///   - limit: The maximum length to hold, in seconds.
    ///   - deadline: Nanoseconds on the monotonic clock, after which a starved deck counts as hung.
    /// - Returns: The clip, or `nil` when the deck is longer than the limit.
    /// - Throws: The error of the failed read.
    static func load(_ deck: any Deck, channels: Int, limit: Double, deadline: UInt64) throws -> ClipDeck? {
        let most = Int(limit * Double(deck.sampleRate))
        if let count = deck.frameCount, count > most { return nil }
        var samples: [Float] = []
        samples.reserveCapacity(Int(max(0, deck.frameCount ?? 0)) * channels)
        let block = 4_096
        var chunk = [Float](repeating: 0, count: block * channels)
        while samples.count <= most * channels {
            let read = chunk.withUnsafeMutableBufferPointer { buffer -> DeckRead? in
                buffer.baseAddress.map { deck.read(into: $0, frames: block) }
            }
            guard let read else { return nil }
            samples.append(contentsOf: chunk[0..<read.frames * channels])
            switch read.condition {
            case .complete: continue
            case .ended:
                return ClipDeck(samples: samples, format: PCMFormat(sampleRate: deck.sampleRate, channels: channels))
            case .truncated(let error), .failed(let error): throw error
            case .starved:
                guard deck.waitUntilReadable(deadline: deadline) else {
                    throw CoreError.ioError("the source gave no data in time")
                }
            }
        }
        return nil
    }
}
