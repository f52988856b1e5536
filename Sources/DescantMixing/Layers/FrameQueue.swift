/// A first-in, first-out queue of interleaved frames. Keeps its memory.
package struct FrameQueue {
    package let channels: Int
    private var samples: [Float] = []
    private var head = 0

    package init(channels: Int) { self.channels = channels }

    package var frames: Int { (samples.count - head) / channels }

    package mutating func removeAll() {
        samples.removeAll(keepingCapacity: true)
        head = 0
    }

    /// Appends the samples that a closure adds to the storage.
    package mutating func append(_ body: (inout [Float]) -> Void) {
        compact()
        body(&samples)
    }

    /// Appends up to `frames` frames that a closure writes; the closure returns how many it wrote.
    package mutating func append(frames: Int, _ body: (UnsafeMutablePointer<Float>) -> Int) {
        compact()
        let start = samples.count
        samples.append(contentsOf: repeatElement(0, count: frames * channels))
        let written = samples.withUnsafeMutableBufferPointer { buffer -> Int in
            guard let base = buffer.baseAddress else { return 0 }
            return body(base + start)
        }
        samples.removeLast((frames - written) * channels)
    }

    /// Removes frames from the end until at most this many are left.
    package mutating func truncate(toFrames frames: Int) {
        let surplus = self.frames - frames
        if surplus > 0 { samples.removeLast(surplus * channels) }
    }

    /// Multiplies all frames by a linear gain.
    package mutating func scale(by gain: Float) {
        for index in head..<samples.count { samples[index] *= gain }
    }

    /// A copy of the last frames.
    package func last(_ frames: Int) -> [Float] { Array(samples.suffix(min(frames, self.frames) * channels)) }

    /// Passes up to `frames` frames to a closure and removes them.
    package mutating func consume(frames: Int, _ body: (UnsafePointer<Float>, Int) -> Void) {
        let count = min(frames, self.frames)
        guard count > 0 else { return }
        samples.withUnsafeBufferPointer { buffer in
            if let base = buffer.baseAddress { body(base + head, count) }
        }
        head += count * channels
        if head == samples.count { removeAll() }
    }

    /// Moves the frames to the front once the consumed part is at least as long, so that each is moved at most once.
    private mutating func compact() {
        guard head > 0, head >= samples.count - head else { return }
        samples.removeFirst(head)
        head = 0
    }
}
