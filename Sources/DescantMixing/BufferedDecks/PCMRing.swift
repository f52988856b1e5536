/// Interleaved frames between a filling queue and the rendering thread, in memory that is never moved or enlarged.
///
/// Not safe by itself: whoever shares it holds a lock for as long as a copy takes.
struct PCMRing: ~Copyable {
    let channels: Int
    /// Frames that fit.
    let capacity: Int
    /// Frames that wait to be read.
    private(set) var count = 0

    private let memory: UnsafeMutablePointer<Float>
    private var head = 0

    init(capacity: Int, channels: Int) {
        self.capacity = max(1, capacity)
        self.channels = max(1, channels)
        memory = .allocate(capacity: self.capacity * self.channels)
        memory.initialize(repeating: 0, count: self.capacity * self.channels)
    }

    deinit { memory.deallocate() }

    /// Frames that can be written.
    var space: Int { capacity - count }

    mutating func removeAll() {
        head = 0
        count = 0
    }

    /// Writes as many frames as fit.
    ///
    /// - Returns: How many were written.
    mutating func write(_ source: UnsafePointer<Float>, frames: Int) -> Int {
        let total = min(frames, space)
        let tail = (head + count) % capacity
        let first = min(total, capacity - tail)
        (memory + tail * channels).update(from: source, count: first * channels)
        memory.update(from: source + first * channels, count: (total - first) * channels)
        count += total
        return total
    }

    /// Reads as many frames as there are.
    ///
    /// - Returns: How many were read.
    mutating func read(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        let total = min(frames, count)
        let first = min(total, capacity - head)
        target.update(from: memory + head * channels, count: first * channels)
        (target + first * channels).update(from: memory, count: (total - first) * channels)
        head = (head + total) % capacity
        count -= total
        return total
    }
}
