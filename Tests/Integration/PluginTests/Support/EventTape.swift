import Descant

/// Records the elements of a stream; a test can wait for expected ones.
actor EventTape<Element: Sendable> {
    private(set) var all: [Element] = []
    private var waiting: [(condition: @Sendable ([Element]) -> Bool, continuation: CheckedContinuation<Void, Never>)] =
        []

    /// Subscribes at once.
    init(_ stream: EventStream<Element>) {
        let numbered = stream.buffered(.bounded(100_000)).numbered
        Task { [weak self] in
            for await element in numbered { await self?.add(element.event) }
        }
    }

    private func add(_ element: Element) {
        all.append(element)
        guard !waiting.isEmpty else { return }
        let met = waiting.filter { $0.condition(all) }
        waiting.removeAll { $0.condition(all) }
        for waiter in met { waiter.continuation.resume() }
    }

    /// Waits until the received elements meet a condition.
    func wait(until condition: @escaping @Sendable ([Element]) -> Bool) async {
        if condition(all) { return }
        await withCheckedContinuation { waiting.append((condition, $0)) }
    }
}
