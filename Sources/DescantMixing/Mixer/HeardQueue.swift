internal import DescantCore
internal import Dispatch
internal import Synchronization

/// Something that belongs to a frame of the output's timeline.
protocol HeardElement: Sendable {
    var frame: Int64 { get }

    /// The frame that has to be heard before it is told.
    var due: Int64 { get }

    /// What remains when the frames from another one on are rendered again; `nil` for nothing.
    func before(_ frame: Int64) -> Self?
}

extension HeardElement {
    var due: Int64 { frame }

    func before(_ frame: Int64) -> Self? { self.frame < frame ? self : nil }
}

extension MixEvent: HeardElement {}
extension LevelReading: HeardElement {}

extension PCMBlock: HeardElement {
    /// Its end, so that no frame is told that a command may still replace.
    var due: Int64 { frame + Int64(samples.count / format.channels) }

    func before(_ frame: Int64) -> PCMBlock? {
        guard self.frame < frame else { return nil }
        guard frame < due else { return self }
        return PCMBlock(
            frame: self.frame, format: format, samples: Array(samples.prefix(Int(frame - self.frame) * format.channels))
        )
    }
}

/// Holds events, levels and samples back until their frame is heard.
///
/// Rendering runs ahead of the loudspeaker by the device's latency and a queue of up to half a second. The queue reads the heard
/// frame when its next element should be due, so an idle player causes no wake-ups.
final class HeardQueue<Element: HeardElement>: Sendable {
    private struct State {
        var pending: [(number: UInt64, element: Element)] = []
        /// The number of elements so far.
        var submitted: UInt64 = 0
        /// The time of the next look at the heard frame, on the monotonic clock.
        var nextTick = UInt64.max
    }

    private let hub: EventHub<Element>
    private let receiver = SharedCallback<Element>()
    private let sampleRate: Int
    private let heardFrame: @Sendable () -> Int64
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "descant.mixer.heard", qos: .userInitiated)

    init(hub: EventHub<Element>, sampleRate: Int, heardFrame: @escaping @Sendable () -> Int64) {
        self.hub = hub
        self.sampleRate = sampleRate
        self.heardFrame = heardFrame
    }

    /// Sets who receives the elements when they are published; called with a lock held, so it must not wait.
    func setReceiver(_ receiver: @escaping @Sendable (Element) -> Void) {
        self.receiver.set(receiver)
    }

    private func publish(_ element: Element) {
        hub.post(element)
        receiver(element)
    }

    /// Adds elements in the order of their frames; those whose frame was heard are published at once.
    func submit(_ elements: [Element]) {
        guard !elements.isEmpty else { return }
        state.withLock { state in
            for element in elements {
                let index = state.pending.lastIndex { $0.element.frame <= element.frame }.map { $0 + 1 } ?? 0
                state.pending.insert((state.submitted, element), at: index)
                state.submitted += 1
            }
        }
        release()
    }

    /// The number of elements so far.
    var submitted: UInt64 { state.withLock { $0.submitted } }

    /// Removes pending elements: the frames they belong to are rendered again.
    ///
    /// - Parameters:
    ///   - number: The first element that may be removed.
    ///   - frame: What lies before this frame stays.
    func remove(from number: UInt64 = 0, at frame: Int64) {
        state.withLock { state in
            state.pending = state.pending.compactMap { pending in
                guard pending.number >= number else { return pending }
                return pending.element.before(frame).map { (pending.number, $0) }
            }
        }
    }

    /// Publishes all pending elements: nothing more will be heard.
    func flush() {
        state.withLock { state in
            for pending in state.pending { publish(pending.element) }
            state.pending.removeAll()
        }
    }

    /// Publishes what was heard.
    func release() {
        let heard = heardFrame()
        let now = MonotonicClock().now()
        // Posting inside the lock keeps the order when two threads release at once.
        let tick: (time: UInt64, delay: Double)? = state.withLock { state in
            let count = state.pending.prefix { $0.element.due <= heard }.count
            for pending in state.pending.prefix(count) { publish(pending.element) }
            state.pending.removeFirst(count)
            guard let first = state.pending.first else { return nil }
            // At least 2 ms, so that a device that stands still is not polled continuously.
            let delay = min(0.1, max(0.002, Double(first.element.due - heard) / Double(sampleRate)))
            let time = now + UInt64(delay * 1e9)
            // An element of a change may be due before the one that is waited for.
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
