internal import CGStreamerShim
internal import Glibc
internal import Synchronization

/// A ring of frames between one writing and one reading thread. The writer takes no lock and does not wait or allocate;
/// the reader may wait.
final class SampleRing: @unchecked Sendable {
    // Safe to share: the memory between `taken` and `given` belongs to the reader and the rest to the writer; both counts are
    // atomic, and each is moved by one side alone. The semaphore's pointer never changes.
    private let samples: UnsafeMutablePointer<Float>
    private let arrival = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    private let channels: Int
    private let capacity: Int
    /// The number of frames written so far.
    private let given = Atomic<Int>(0)
    /// The number of frames read so far.
    private let taken = Atomic<Int>(0)
    private let isEnded = Atomic(false)

    /// - Parameter frames: The capacity in frames.
    init(channels: Int, frames: Int) {
        self.channels = channels
        capacity = frames
        samples = .allocate(capacity: frames * channels)
        samples.initialize(repeating: 0, count: frames * channels)
        sem_init(arrival, 0, 0)
    }

    deinit {
        sem_destroy(arrival)
        arrival.deallocate()
        samples.deallocate()
    }

    /// The number of frames written so far.
    var written: Int { given.load(ordering: .relaxed) }

    /// The number of frames that were written and not read.
    var available: Int { given.load(ordering: .acquiring) - taken.load(ordering: .relaxed) }

    /// Writes as many frames as there is room for.
    ///
    /// - Returns: How many.
    func write(_ source: UnsafePointer<Float>, frames: Int) -> Int {
        let start = given.load(ordering: .relaxed)
        let count = min(frames, capacity - (start - taken.load(ordering: .acquiring)))
        guard count > 0 else { return 0 }
        let place = start % capacity
        let first = min(count, capacity - place)
        (samples + place * channels).update(from: source, count: first * channels)
        samples.update(from: source + first * channels, count: (count - first) * channels)
        given.store(start + count, ordering: .releasing)
        sem_post(arrival)
        return count
    }

    /// Ends the ring; the reader still gets the frames in it.
    func end() {
        isEnded.store(true, ordering: .releasing)
        sem_post(arrival)
    }

    /// Waits for frames.
    ///
    /// - Parameter limit: The longest wait in nanoseconds; `nil` for no limit.
    /// - Returns: The number of frames available; 0 at the end, `nil` after the limit.
    func wait(limit: UInt64?) -> Int? {
        while true {
            let hasEnded = isEnded.load(ordering: .acquiring)
            let available = available
            if available > 0 || hasEnded { return available }
            guard let limit else {
                sem_wait(arrival)
                continue
            }
            if descant_semaphore_wait(arrival, guint64(limit)) == 0 { return nil }
        }
    }

    /// Reads available frames.
    func read(into target: UnsafeMutablePointer<Float>, frames: Int) {
        let start = taken.load(ordering: .relaxed)
        let place = start % capacity
        let first = min(frames, capacity - place)
        target.update(from: samples + place * channels, count: first * channels)
        (target + first * channels).update(from: samples, count: (frames - first) * channels)
        taken.store(start + frames, ordering: .releasing)
    }

    /// Drops the available frames. Neither side may be at work.
    func discard() { taken.store(given.load(ordering: .acquiring), ordering: .releasing) }
}
