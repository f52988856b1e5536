internal import Descant
internal import Synchronization

/// Records when each block of the mix arrived at the output, and on request its samples.
final class BlockLog: Sendable {
    /// Samples below this magnitude count as silence.
    static let audible: Float = 0.001

    private struct Arrival {
        let first: Int64
        let end: Int64
        let time: Int64
        let samples: [Float]
        let seconds: Double
    }

    private struct State {
        var arrivals: [Arrival] = []
        var keepsSamples = false
    }

    private let state = Mutex(State())

    /// Sets whether samples are kept from now on. Turning it on removes earlier samples.
    func keepSamples(_ keeps: Bool) {
        state.withLock { state in
            state.keepsSamples = keeps
            state.arrivals = []
        }
    }

    /// Records a block; called on the output's thread.
    func take(_ block: PCMBlock) {
        let time = BenchOutput.now
        let frames = Int64(block.samples.count / block.format.channels)
        state.withLock { state in
            let samples = state.keepsSamples ? block.samples : []
            state.arrivals.append(
                Arrival(
                    first: block.frame, end: block.frame + frames, time: time, samples: samples,
                    seconds: Double(frames) / Double(block.format.sampleRate)))
            // Two minutes of 10 ms blocks, longer than any measurement needs.
            if state.arrivals.count > 12_000 { state.arrivals.removeFirst(6_000) }
        }
    }

    /// The time when a frame arrived; `nil` if it has not arrived.
    func arrival(of frame: Int64) -> Int64? {
        state.withLock { state in
            state.arrivals.last { $0.first <= frame && frame < $0.end }?.time
        }
    }

    /// The first frame from a frame on that is not silent; `nil` when none has arrived. Needs ``keepSamples(_:)``.
    func firstSound(from frame: Int64, channels: Int) -> Int64? {
        state.withLock { state in
            for arrival in state.arrivals where arrival.end > frame {
                let skipped = max(0, Int(frame - arrival.first)) * channels
                guard let index = arrival.samples.dropFirst(skipped).firstIndex(where: { $0 != 0 }) else { continue }
                return arrival.first + Int64(index / channels)
            }
            return nil
        }
    }

    /// When the first audible sample was heard after ``keepSamples(_:)``: its block's arrival, and its place in the block.
    ///
    /// - Throws: ``BenchError`` when there is none within 10 s.
    func firstAudible() async throws -> Int64 {
        let limit = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < limit {
            let found: Int64? = state.withLock { state in
                for arrival in state.arrivals {
                    guard let index = arrival.samples.firstIndex(where: { abs($0) > Self.audible }) else { continue }
                    let share = Double(index) / Double(arrival.samples.count)
                    return arrival.time + Int64(share * arrival.seconds * 1e9)
                }
                return nil
            }
            if let found { return found }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw BenchError.failed("nothing audible within 10 s")
    }

    /// Interleaved samples from a frame on; fewer than asked for when they have not arrived.
    func samples(from frame: Int64, frames: Int, channels: Int) -> [Float] {
        state.withLock { state in
            var samples: [Float] = []
            for arrival in state.arrivals where arrival.end > frame && samples.count < frames * channels {
                let skipped = max(0, Int(frame - arrival.first)) * channels
                samples.append(contentsOf: arrival.samples.dropFirst(skipped))
            }
            return Array(samples.prefix(frames * channels))
        }
    }
}
