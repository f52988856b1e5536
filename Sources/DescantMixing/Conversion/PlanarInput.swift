/// One channel's samples that a filter has not passed yet, side by side in memory that is kept.
final class PlanarInput {
    private let silence: Int
    private var capacity: Int
    private var memory: UnsafeMutablePointer<Float>
    private var head = 0

    /// Samples that are there.
    private(set) var count = 0

    /// - Parameter silence: Zeros that stand before the first sample.
    init(silence: Int) {
        self.silence = silence
        capacity = silence + 8_192
        memory = .allocate(capacity: capacity)
        restart()
    }

    deinit { memory.deallocate() }

    /// The first sample.
    var start: UnsafePointer<Float> { UnsafePointer(memory + head) }

    /// Begins again with silence.
    func restart() {
        head = 0
        count = silence
        memory.update(repeating: 0, count: silence)
    }

    /// Adds samples that lie `stride` places apart; `nil` adds zeros.
    func append(_ samples: UnsafePointer<Float>?, stride: Int, frames: Int) {
        makeRoom(frames)
        let target = memory + head + count
        if let samples {
            for frame in 0..<frames { target[frame] = samples[frame * stride] }
        } else {
            target.update(repeating: 0, count: frames)
        }
        count += frames
    }

    /// Removes samples from the front.
    func drop(_ frames: Int) {
        head += frames
        count -= frames
    }

    private func makeRoom(_ frames: Int) {
        guard head + count + frames > capacity else { return }
        let needed = count + frames
        if needed > capacity {
            let larger = UnsafeMutablePointer<Float>.allocate(capacity: 2 * needed)
            larger.update(from: memory + head, count: count)
            memory.deallocate()
            memory = larger
            capacity = 2 * needed
        } else {
            memory.update(from: memory + head, count: count)
        }
        head = 0
    }
}
