internal import CGStreamer
internal import DescantCore
internal import Synchronization

/// How far the listener is: the device's position on the output's timeline, never decreasing.
final class HeardPosition: Sendable {
    private struct State {
        /// Asks the device for its position on the output's timeline.
        var device: (@Sendable () -> Int64?)?
        var frame: Int64 = 0
        /// The last frame that was rendered when the position was asked for.
        var limit: Int64 = 0
        /// When `frame` was asked for, on the monotonic clock.
        var time: UInt64 = 0
    }

    /// In nanoseconds; a device that was not asked for longer may have hung.
    private static let maximumExtrapolation: UInt64 = 30_000_000
    private let state = Mutex(State())
    /// Held while a device is asked, so that none is asked while it is being closed: PulseAudio's client would abort.
    private let inquiry = Mutex(())
    private let sampleRate: Int

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// The last known position, without asking the device.
    var known: Int64 { state.withLock { $0.frame } }

    /// Asks the device where it is.
    ///
    /// - Parameter limit: The first frame that was not rendered; no position lies after it.
    func update(limit: Int64) -> Int64 {
        inquiry.withLock { _ in
            guard let played = state.withLock({ $0.device })?() else { return known }
            return state.withLock { state in
                state.frame = max(state.frame, min(played, limit))
                state.limit = limit
                state.time = MonotonicClock().now()
                return state.frame
            }
        }
    }

    /// Follows a device that begins at a frame.
    func follow(_ device: GStreamerElement, from epochFrame: Int64) {
        let sampleRate = sampleRate
        state.withLock { state in
            state.device = {
                guard let nanoseconds = device.positionNanoseconds else { return nil }
                return epochFrame + Int64(gst_util_uint64_scale(UInt(nanoseconds), UInt(sampleRate), 1_000_000_000))
            }
        }
    }

    /// Follows the clock of an output without a device.
    func follow(_ pacer: FramePacer) { state.withLock { $0.device = { pacer.frame } } }

    /// Asks the device no more and stays where it was last; waits for an inquiry that is in progress.
    ///
    /// - Parameter failure: When the device failed, on the monotonic clock: until then it has played on since it was last
    ///   asked.
    func hold(failure: UInt64? = nil) {
        inquiry.withLock { _ in
            state.withLock { state in
                guard state.device != nil else { return }
                state.device = nil
                guard let failure, failure > state.time else { return }
                let elapsed = Int64(min(failure - state.time, Self.maximumExtrapolation))
                state.frame = min(state.frame + elapsed * Int64(sampleRate) / 1_000_000_000, state.limit)
            }
        }
    }

    /// Goes forward to a frame that is known to have been heard.
    func reach(_ frame: Int64) { state.withLock { $0.frame = max($0.frame, frame) } }
}
