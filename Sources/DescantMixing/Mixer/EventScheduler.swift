internal import DescantCore
internal import Dispatch
internal import Synchronization

/// Holds events back until their frame is heard.
///
/// Rendering runs ahead of the loudspeaker by the device's latency. The scheduler reads the heard frame when the next
/// event should be due, so an idle player causes no wake-ups.
final class EventScheduler: Sendable {
    private struct State {
        var pending: [MixEvent] = []
        var isTicking = false
    }

    private let hub: EventHub<MixEvent>
    private let sampleRate: Int
    private let heardFrame: @Sendable () -> Int64
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "descant.mixer.events", qos: .userInitiated)

    init(hub: EventHub<MixEvent>, sampleRate: Int, heardFrame: @escaping @Sendable () -> Int64) {
        self.hub = hub
        self.sampleRate = sampleRate
        self.heardFrame = heardFrame
    }

    /// Adds events in the order of their frames; events whose frame was heard are published at once.
    func submit(_ events: [MixEvent]) {
        guard !events.isEmpty else { return }
        state.withLock { state in
            for event in events {
                let index = state.pending.lastIndex { $0.frame <= event.frame }.map { $0 + 1 } ?? 0
                state.pending.insert(event, at: index)
            }
        }
        release()
    }

    /// Publishes all pending events: nothing more will be heard.
    func flush() {
        state.withLock { state in
            state.pending.forEach(hub.post)
            state.pending.removeAll()
        }
    }

    private func release() {
        let heard = heardFrame()
        // Posting inside the lock keeps the order when two threads release at once.
        let next: Int64? = state.withLock { state in
            let count = state.pending.prefix { $0.frame <= heard }.count
            for event in state.pending.prefix(count) { hub.post(event) }
            state.pending.removeFirst(count)
            guard let first = state.pending.first, !state.isTicking else { return nil }
            state.isTicking = true
            return first.frame
        }
        guard let next else { return }
        let distance = Double(next - heard) / Double(sampleRate)
        // At least 2 ms, so that a device that stands still is not polled continuously.
        let delay = min(0.1, max(0.002, distance))
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in
            self?.state.withLock { $0.isTicking = false }
            self?.release()
        }
    }
}
