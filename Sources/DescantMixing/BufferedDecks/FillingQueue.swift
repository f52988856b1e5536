internal import Dispatch

/// Runs a filler on its queue whenever it is woken.
final class FillingQueue: @unchecked Sendable {
    // Safe to share: dispatch sources may be used from any thread, and the reference never changes.
    private let source: any DispatchSourceUserDataAdd

    /// - Parameters:
    ///   - filler: Works until there is nothing to do; then it rests until it is woken.
    ///   - queue: A serial queue on which nothing else runs.
    init(_ filler: DeckFiller, on queue: DispatchQueue) {
        source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler { filler.work() }
        // Runs once after ``finish()``, behind whatever the filler is doing, and lets it release what it holds.
        source.setCancelHandler { filler.work() }
        source.activate()
    }

    /// Wakes the filler; allocates nothing, unlike dispatching a block, so the rendering thread may call it.
    func wake() { source.add(data: 1) }

    /// Lets the filler see that its deck is closed, and ends.
    func finish() { source.cancel() }
}
