/// One item of a queue.
struct QueueEntry: Sendable, Hashable {
    let id: String
    let item: LibraryItem
    /// The artist and the title.
    let name: String
}
