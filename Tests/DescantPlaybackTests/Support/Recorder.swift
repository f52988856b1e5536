import DescantCore
import Testing

/// Records the elements of a stream; a test can wait for expected ones, until its time limit cancels it.
actor Recorder<Element: Sendable> {
    private(set) var all: [Element] = []
    private var waiting: [Int: (condition: ([Element]) -> Bool, continuation: CheckedContinuation<Bool, Never>)] = [:]
    private var lastWait = 0

    /// Subscribes at once.
    init(_ stream: EventStream<Element>) {
        let numbered = stream.buffered(.bounded(100_000)).numbered
        Task { [weak self] in
            for await element in numbered { await self?.add(element.event) }
        }
    }

    private func add(_ element: Element) {
        all.append(element)
        for (number, waiter) in waiting where waiter.condition(all) {
            waiting[number] = nil
            waiter.continuation.resume(returning: true)
        }
    }

    /// Waits until the received elements meet a condition.
    func wait(until condition: @escaping @Sendable ([Element]) -> Bool) async {
        if condition(all) { return }
        lastWait += 1
        let number = lastWait
        let isMet = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: false) }
                waiting[number] = (condition, continuation)
            }
        } onCancel: {
            Task { await self.giveUp(number) }
        }
        if !isMet { Issue.record("what was waited for never came; there were \(all)") }
    }

    private func giveUp(_ number: Int) { waiting.removeValue(forKey: number)?.continuation.resume(returning: false) }

    /// Waits for an element.
    func wait(for condition: @escaping @Sendable (Element) -> Bool) async {
        await wait { (elements: [Element]) in elements.contains(where: condition) }
    }
}
