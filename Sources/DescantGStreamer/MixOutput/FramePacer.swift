internal import DescantCore
internal import Synchronization

/// The clock of an output without a device: says when a frame is due and which one is being played.
///
/// Frames are due at the sample rate, counted from the first one, and anew from the first one after a rest.
final class FramePacer: Sendable {
    private struct Anchor {
        var frame: Int64
        /// When the frame is due, on the monotonic clock.
        var time: UInt64
    }

    private let sampleRate: Int
    private let anchor = Mutex<Anchor?>(nil)

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// Nanoseconds until a frame is due, negative when it is late. The first frame that is asked for is due now.
    func nanoseconds(until frame: Int64) -> Int64 {
        let now = MonotonicClock().now()
        return anchor.withLock { anchor in
            let present = anchor ?? Anchor(frame: frame, time: now)
            anchor = present
            return due(frame, by: present) - Int64(now)
        }
    }

    /// Goes on after a rest: a frame whose time has passed meanwhile is due now.
    func resume(at frame: Int64) {
        let now = MonotonicClock().now()
        anchor.withLock { anchor in
            guard let present = anchor, due(frame, by: present) < Int64(now) else { return }
            anchor = Anchor(frame: frame, time: now)
        }
    }

    /// The frame that is due now; `nil` before the first one. Goes on during a rest.
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
