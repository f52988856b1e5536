internal import DescantCore
internal import Synchronization

/// The clock of an output without a device: the time at which a frame is due, and the frame that is due now.
///
/// Frames are due at the sample rate, counted from the first frame, and again from the first frame after a sleep.
final class FramePacer: Sendable {
    private struct Anchor {
        var frame: Int64
        /// The time at which the frame is due, on the monotonic clock.
        var time: UInt64
    }

    private let sampleRate: Int
    private let anchor = Mutex<Anchor?>(nil)

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// Nanoseconds until a frame is due; negative when it is late. The frame of the first call is due now.
    func nanoseconds(until frame: Int64) -> Int64 {
        let now = MonotonicClock().now()
        return anchor.withLock { anchor in
            let present = anchor ?? Anchor(frame: frame, time: now)
            anchor = present
            return due(frame, by: present) - Int64(now)
        }
    }

    /// Continues after a sleep: a frame whose time has passed is due now.
    func resume(at frame: Int64) {
        let now = MonotonicClock().now()
        anchor.withLock { anchor in
            guard let present = anchor, due(frame, by: present) < Int64(now) else { return }
            anchor = Anchor(frame: frame, time: now)
        }
    }

    /// The frame that is due now; `nil` before the first one. Advances during a sleep, too.
    var frame: Int64? {
        let now = MonotonicClock().now()
        return anchor.withLock { anchor in
            anchor.map { anchor in
                let elapsed = Double(Int64(now) - Int64(anchor.time)) / 1e9
                return anchor.frame + Int64((elapsed * Double(sampleRate)).rounded(.down))
            }
        }
    }

    private func due(_ frame: Int64, by anchor: Anchor) -> Int64 {
        Int64(anchor.time) + Int64((Double(frame - anchor.frame) * 1e9 / Double(sampleRate)).rounded())
    }
}
