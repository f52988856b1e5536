internal import CGStreamer
internal import Synchronization

/// How far the listener is: the device's position on the output's timeline, never decreasing.
final class HeardPosition: Sendable {
    private struct State {
        var device: GStreamerElement?
        var epochFrame: Int64 = 0
        var frame: Int64 = 0
    }

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
            if state.device === device { state.frame = max(state.frame, frame) }
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

    /// Stays where it is, or at a frame that is known to have been heard.
    func hold(at frame: Int64? = nil) {
        state.withLock { state in
            state.device = nil
            if let frame { state.frame = max(state.frame, frame) }
        }
    }
}
