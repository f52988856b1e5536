/// One item of a queue.
struct QueueEntry: Sendable, Hashable {
    let id: String
    let item: SimulatedItem
    /// The artist and the title.
    let name: String
}
