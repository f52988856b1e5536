/// The events of one subscription.
///
/// The buffer is bounded: when the subscriber does not read, the oldest events are dropped and the next one says how many
/// in its `missed`. A slow subscriber slows neither the client nor other subscribers. The sequence ends with
/// ``MusicAssistantClient/disconnect()``, when the client gives up (``ConnectionState/failed(error:)``), and when it is
/// released. It is for one reader; subscribe again for a second one.
public struct MusicAssistantEventStream<Element: MissCounting>: AsyncSequence, Sendable {
    let numbered: AsyncStream<(number: UInt64, event: Element)>

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: numbered.makeAsyncIterator(), expected: 0)
    }

    /// Reads events in order.
    public struct Iterator: AsyncIteratorProtocol {
        var base: AsyncStream<(number: UInt64, event: Element)>.Iterator
        var expected: UInt64

        /// The next event; nil when there are no more or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            guard let (number, event) = await base.next(isolation: actor) else { return nil }
            var counted = event
            counted.missed = Int(number - expected)
            expected = number + 1
            return counted
        }
    }
}
