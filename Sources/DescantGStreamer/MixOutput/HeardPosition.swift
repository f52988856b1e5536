internal import DescantCore
internal import Synchronization

/// The heard position: the device's position on the output's timeline. Never decreases.
final class HeardPosition: Sendable {
    private struct State {
        /// Reads the device's position on the output's timeline.
        var device: (@Sendable () -> Int64?)?
        /// Reads how many frames the device holds for good.
        var held: (@Sendable () -> Int64)?
        var frame: Int64 = 0
        /// The first frame that was not rendered when the position was read.
        var limit: Int64 = 0
        /// The time at which `frame` was read, on the monotonic clock.
        var time: UInt64 = 0
    }

    /// The maximum extrapolation of a failed device's position, in nanoseconds: while the queue is long, the position is read every quarter of a
    /// second only. A device without a newer position may have hung.
    private static let maximumExtrapolation: UInt64 = 250_000_000
    private let state = Mutex(State())
    /// Held while a position is read, so that no device is read while it is being closed: PulseAudio's client would
    /// abort.
    private let inquiry = Mutex(())
    private let sampleRate: Int

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// The last known position, without a query of the device.
    var known: Int64 { state.withLock { $0.frame } }

    /// The frames behind the heard one that the device has taken for good.
    var held: Int64 { inquiry.withLock { _ in state.withLock { $0.held }?() ?? 0 } }

    /// Reads the device's position.
    ///
    /// - Parameter limit: The first frame that was not rendered; the maximum position.
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

    /// Follows a sound device.
    func follow(_ writer: any QueueWriter) {
        state.withLock { state in
            state.device = { writer.heardFrame }
            state.held = { writer.heldFrames }
        }
    }

    /// Follows the clock of an output without a device.
    func follow(_ pacer: FramePacer) {
        state.withLock { state in
            state.device = { pacer.frame }
            state.held = nil
        }
    }

    /// Detaches the device and keeps the last position; waits for a query in progress.
    ///
    /// - Parameter failure: The time at which the device failed, on the monotonic clock; the device played until then.
    func hold(failure: UInt64? = nil) {
        inquiry.withLock { _ in
            state.withLock { state in
                guard state.device != nil else { return }
                state.device = nil
                state.held = nil
                guard let failure, failure > state.time else { return }
                let elapsed = Int64(min(failure - state.time, Self.maximumExtrapolation))
                state.frame = min(state.frame + elapsed * Int64(sampleRate) / 1_000_000_000, state.limit)
            }
        }
    }

    /// Advances to a frame that is known to have been heard.
    func reach(_ frame: Int64) { state.withLock { $0.frame = max($0.frame, frame) } }
}
