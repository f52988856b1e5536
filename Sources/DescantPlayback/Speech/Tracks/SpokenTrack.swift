internal import DescantCore
internal import Synchronization

/// Spoken text as a source of known length, in memory.
final class SpokenTrack: PCMSource {
    let name: String
    let format: PCMFormat
    let frameCount: Int64?
    private let samples: [Float]
    private let next = Mutex(0)

    init(name: String, samples: [Float], sampleRate: Int) {
        self.name = name
        self.samples = samples
        format = PCMFormat(sampleRate: sampleRate, channels: 1)
        frameCount = Int64(samples.count)
    }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        let first = next.withLock { next in
            defer { next = min(samples.count, next + maxFrames) }
            return next
        }
        let count = min(maxFrames, samples.count - first)
        samples.withUnsafeBufferPointer { samples in
            if count > 0, let base = samples.baseAddress { buffer.update(from: base + first, count: count) }
        }
        return count
    }

    func seek(toFrame frame: Int64) throws {
        next.withLock { $0 = Int(frame.clamped(to: 0...Int64(samples.count))) }
    }
}
