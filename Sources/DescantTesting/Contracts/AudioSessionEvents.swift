internal import DescantCore

/// Reads the events of a session one by one, each once, with a time limit.
struct AudioSessionEvents: Sendable {
    private let inbox: Inbox
    private let clock: any ClockPort
    private let limit: Double

    /// Begins to read; later events are kept until they are read.
    init(_ events: EventStream<AudioSessionEvent>, clock: any ClockPort, limit: Double) async {
        inbox = Inbox(clock: clock)
        self.clock = clock
        self.limit = limit
        await inbox.read(events)
    }

    /// The next event that meets a condition; `nil` when none does within the limit. Events before it are dropped.
    func next(
        isolation: isolated (any Actor)? = #isolation, where fits: (AudioSessionEvent) -> Bool
    ) async -> AudioSessionEvent? {
        let deadline = clock.now() + UInt64(limit * 1e9)
        while let event = await inbox.take(until: deadline) {
            if fits(event) { return event }
        }
        return nil
    }

    private actor Inbox {
        private let clock: any ClockPort
        private var pending: [AudioSessionEvent] = []
        private var waiter: CheckedContinuation<Void, Never>?
        private var reader: Task<Void, Never>?

        init(clock: any ClockPort) { self.clock = clock }

        deinit { reader?.cancel() }

        func read(_ events: EventStream<AudioSessionEvent>) {
            let numbered = events.buffered(.bounded(1024)).numbered
            reader = Task { [weak self] in
                for await event in numbered { await self?.put(event.event) }
            }
        }

        func take(until deadline: UInt64) async -> AudioSessionEvent? {
            if pending.isEmpty, clock.now() < deadline {
                let timer = Task { [weak self, clock] in
                    // Cancelled when an event comes first.
                    guard (try? await clock.sleep(until: deadline)) != nil else { return }
                    await self?.wake()
                }
                await withCheckedContinuation { waiter = $0 }
                timer.cancel()
            }
            return pending.isEmpty ? nil : pending.removeFirst()
        }

        private func put(_ event: AudioSessionEvent) {
            pending.append(event)
            wake()
        }

        private func wake() {
            waiter?.resume()
            waiter = nil
        }
    }
}
