internal import DescantCore
internal import Dispatch
internal import Synchronization

/// Holds events back until their frame is heard.
///
/// Rendering runs ahead of the loudspeaker by the device's latency. The scheduler reads the heard frame when the next
/// event should be due, so an idle player causes no wake-ups.
final class EventScheduler: Sendable {
    private struct State {
        var pending: [(number: UInt64, event: MixEvent)] = []
        /// The number of events so far.
        var submitted: UInt64 = 0
        /// The time of the next look at the heard frame, on the monotonic clock.
        var nextTick = UInt64.max
    }

    private let hub: EventHub<MixEvent>
    private let receiver = Mutex<(@Sendable (MixEvent) -> Void)?>(nil)
    private let sampleRate: Int
    private let heardFrame: @Sendable () -> Int64
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "descant.mixer.events", qos: .userInitiated)

    init(hub: EventHub<MixEvent>, sampleRate: Int, heardFrame: @escaping @Sendable () -> Int64) {
        self.hub = hub
        self.sampleRate = sampleRate
        self.heardFrame = heardFrame
    }

    /// Sets who receives the events when they are published; called with a lock held, so it must not wait.
    func setReceiver(_ receiver: @escaping @Sendable (MixEvent) -> Void) {
        self.receiver.withLock { $0 = receiver }
    }

    private func publish(_ event: MixEvent) {
        hub.post(event)
        receiver.withLock { $0 }?(event)
    }

    /// Adds events in the order of their frames; events whose frame was heard are published at once.
    func submit(_ events: [MixEvent]) {
        guard !events.isEmpty else { return }
        state.withLock { state in
            for event in events {
                let index = state.pending.lastIndex { $0.event.frame <= event.frame }.map { $0 + 1 } ?? 0
                state.pending.insert((state.submitted, event), at: index)
                state.submitted += 1
            }
        }
        release()
    }

    /// The number of events so far.
    var submitted: UInt64 { state.withLock { $0.submitted } }

    /// Removes pending events: the frames they belong to are rendered again.
    ///
    /// - Parameters:
    ///   - number: The first event that may be removed.
    ///   - frame: Events before this frame stay.
    func remove(from number: UInt64, at frame: Int64) {
        state.withLock { state in
            state.pending.removeAll { $0.number >= number && $0.event.frame >= frame }
        }
    }

    /// Publishes all pending events: nothing more will be heard.
    func flush() {
        state.withLock { state in
            for pending in state.pending { publish(pending.event) }
            state.pending.removeAll()
        }
    }

    private func release() {
        let heard = heardFrame()
        let now = MonotonicClock().now()
        // Posting inside the lock keeps the order when two threads release at once.
        let tick: (time: UInt64, delay: Double)? = state.withLock { state in
            let count = state.pending.prefix { $0.event.frame <= heard }.count
            for pending in state.pending.prefix(count) { publish(pending.event) }
            state.pending.removeFirst(count)
            guard let first = state.pending.first else { return nil }
            // At least 2 ms, so that a device that stands still is not polled continuously.
            let delay = min(0.1, max(0.002, Double(first.event.frame - heard) / Double(sampleRate)))
            let time = now + UInt64(delay * 1e9)
            // An event of a change may be due before the one that is waited for.
            guard time < state.nextTick else { return nil }
            state.nextTick = time
            return (time, delay)
        }
        guard let tick else { return }
        queue.asyncAfter(deadline: .now() + tick.delay) { [weak self] in
            let isNext = self?.state.withLock { state in
                guard state.nextTick == tick.time else { return false }
                state.nextTick = .max
                return true
            }
            if isNext == true { self?.release() }
        }
    }
}
