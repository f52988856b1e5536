internal import CGStreamer
internal import DescantCore
internal import Synchronization

/// How far the listener is: the device's position on the output's timeline, never decreasing.
final class HeardPosition: Sendable {
    private struct State {
        var device: GStreamerElement?
        var epochFrame: Int64 = 0
        var frame: Int64 = 0
        /// The last frame that was rendered when the position was asked for.
        var limit: Int64 = 0
        /// When `frame` was asked for, on the monotonic clock.
        var time: UInt64 = 0
    }

    /// In nanoseconds; a device that was not asked for longer may have hung.
    private static let greatestExtrapolation: UInt64 = 30_000_000
    private let state = Mutex(State())
    private let sampleRate: Int

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// The last known position, without asking the device.
    var known: Int64 { state.withLock { $0.frame } }

    /// Asks the device where it is.
    ///
    /// - Parameter limit: The first frame that was not rendered; no position lies after it.
    func update(limit: Int64) -> Int64 {
        let (device, epochFrame) = state.withLock { ($0.device, $0.epochFrame) }
        guard let device, let nanoseconds = device.positionNanoseconds else { return known }
        let played = gst_util_uint64_scale(UInt(nanoseconds), UInt(sampleRate), 1_000_000_000)
        let frame = min(epochFrame + Int64(played), limit)
        return state.withLock { state in
            // An answer that belongs to a device which was replaced meanwhile says nothing.
            if state.device === device {
                state.frame = max(state.frame, frame)
                state.limit = limit
                state.time = MonotonicClock().now()
            }
            return state.frame
        }
    }

    /// Follows a device that begins at a frame.
    func follow(_ device: GStreamerElement, from epochFrame: Int64) {
        state.withLock { state in
            state.device = device
            state.epochFrame = epochFrame
        }
    }

    /// Stays where the device was when it failed just now: it has played on since it was last asked, a block ago.
    func holdAtFailure() {
        state.withLock { state in
            guard state.device != nil else { return }
            state.device = nil
            let elapsed = min(MonotonicClock().now() - state.time, Self.greatestExtrapolation)
            state.frame = min(state.frame + Int64(elapsed) * Int64(sampleRate) / 1_000_000_000, state.limit)
        }
    }

    /// Stays where it is, or at a frame that is known to have been heard.
    func hold(at frame: Int64? = nil) {
        state.withLock { state in
            state.device = nil
            if let frame { state.frame = max(state.frame, frame) }
        }
    }
}
