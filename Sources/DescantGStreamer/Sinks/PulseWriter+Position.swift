internal import CPulse
internal import DescantCore
internal import Foundation
internal import Synchronization

/// The heard frame and the frames that the server has taken, by its answers.
extension PulseWriter {
    var heardFrame: Int64? {
        state.withLock { state in
            guard !state.isCorked, let heard = streamPosition(state)?.heard else { return nil }
            return min(state.cursor.end, max(plan.epochFrame, heard + state.base))
        }
    }

    var firstChangeableFrame: Int64? {
        let margin = link.withLock { $0.margin }
        return state.withLock { state in
            // A write may reach the server 5 ms later.
            guard !state.isCorked, let position = streamPosition(state, allowance: 0.005) else { return nil }
            let heard = max(0, position.heard)
            guard position.isExact else { return heard + state.base + plan.format.frames(in: margin) }
            return max(heard + plan.format.frames(in: 0.015), position.taken) + state.base
        }
    }

    var heldFrames: Int64 { link.withLock { $0.rewinds ? 0 : plan.format.frames(in: $0.held) } }

    /// The heard frame and the next frame that the server takes, counted from the stream's first frame.
    ///
    /// - Parameter allowance: Seconds from now; a step that PipeWire's device begins until then counts as taken.
    /// - Returns: Also whether the steps of PipeWire's device are known. Otherwise what was taken is estimated, as if it rose steadily.
    func streamPosition(_ state: State, allowance: Double = 0) -> (heard: Int64, taken: Int64, isExact: Bool)? {
        guard let handles = state.handles, let stream = link.withLock({ $0.stream }) else { return nil }
        pa_threaded_mainloop_lock(handles.loop)
        defer { pa_threaded_mainloop_unlock(handles.loop) }
        guard let info = pa_stream_get_timing_info(stream)?.pointee, info.read_index_corrupt == 0,
            (0..<1 << 52).contains(info.read_index)
        else { return nil }
        // A server that has taken all that was written calls the stream not playing, while its device still plays it.
        let isRunning = pa_stream_is_suspended(stream) == 0 && (info.playing != 0 || info.read_index > 0)
        let ahead = isRunning ? age(of: info.timestamp) : 0
        let (rate, answered) = (Double(plan.format.sampleRate), Double(info.read_index / Int64(plan.format.frameBytes)))
        let held = min(Self.longestHold, Double(info.sink_usec) / 1e6)
        let steps = link.withLock { $0.steps }
        let heard = answered + (ahead - held - steps.lead(held: held)) * rate
        let exact = isRunning ? steps.taken(after: ahead + allowance, held: held) : nil
        let taken = exact ?? answered + ahead * rate
        return (Int64(heard.rounded(.down)), Int64(taken.rounded(.up)), exact != nil)
    }

    /// Seconds since a time stamp of the server's last answer, 0…2. Since the answer itself they are those of the monotonic clock: the wall
    /// clock may be set, and goes on while the machine is suspended.
    private func age(of timestamp: timeval) -> Double {
        guard let answer = link.withLock({ $0.answer }) else { return 0 }
        let since = Double(MonotonicClock().now() - answer.monotonic) / 1e9
        return min(2, Self.seconds(from: timestamp, to: answer.wall) + since)
    }

    /// At least 0.
    private static func seconds(from first: timeval, to second: timeval) -> Double {
        max(0, Double(second.tv_sec - first.tv_sec) + Double(second.tv_usec - first.tv_usec) / 1e6)
    }

    /// Microseconds from an answer to the next question while PipeWire's steps are learnt: libpulse asks ever more rarely by itself.
    private static let interval: pa_usec_t = 5000

    /// The most that a device is believed to hold, in seconds.
    private static let longestHold = 5.0

    func positionIsKnown(_ stream: OpaquePointer, _ reference: UnsafeMutableRawPointer) {
        var wall = timeval()
        gettimeofday(&wall, nil)
        let now = MonotonicClock().now()
        guard let info = pa_stream_get_timing_info(stream)?.pointee else { return }
        let asks = link.withLock { link in
            link.answer = (now, wall)
            // Before the stream plays, the answer is that of a device for itself.
            guard (1..<1 << 52).contains(info.read_index) else { return false }
            // More than any device holds would have the mix rendered without end.
            let held = min(Self.longestHold, Double(info.sink_usec) / 1e6)
            // It rises and falls as the device takes its blocks, and answers are rare; a single long block is forgotten slowly.
            link.held = max(held, link.held + (held - link.held) / 64)
            guard link.isPipeWire else { return false }
            let answered = Double(now) / 1e9 - Self.seconds(from: info.timestamp, to: wall)
            link.steps.add(taken: info.read_index / Int64(plan.format.frameBytes), at: answered)
            guard !link.asks, link.steps.isLearning else { return false }
            link.asks = true
            return true
        }
        guard asks, let context = pa_stream_get_context(stream) else { return }
        pa_context_rttime_new(context, pa_rtclock_now() + Self.interval, writerAsksAgain, reference)
    }

    /// Asks for the position, unless the stream was closed.
    func asksAgain() {
        let stream = link.withLock { link in
            link.asks = false
            return link.stream
        }
        if let stream { Self.start(pa_stream_update_timing_info(stream, nil, nil)) }
    }
}
