internal import DescantCore
internal import Synchronization

/// The chunks of a request. A synthesizer that sends none for a time ends them with a ``TimeoutError``, also when it ignores
/// cancellation or blocks its thread for good.
final class WatchedSynthesis: Sendable {
    /// The chunks, as they come.
    let chunks: AsyncThrowingStream<SpeechChunk, any Error>
    private let feed: AsyncThrowingStream<SpeechChunk, any Error>.Continuation
    private let limit: Double
    /// When the last chunk came, in nanoseconds of the system's clock.
    private let lastChunk = Atomic(MonotonicClock().now())

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - source: The synthesizer's stream.
    ///   - limit: Seconds that it may send nothing.
    init(_ source: AsyncThrowingStream<SpeechChunk, any Error>, limit: Double) {
        (chunks, feed) = AsyncThrowingStream.makeStream()
        self.limit = limit
        let task = Task { [weak self, feed] in
            do {
                for try await chunk in source {
                    self?.lastChunk.store(MonotonicClock().now(), ordering: .relaxed)
                    feed.yield(chunk)
                }
                feed.finish()
            } catch {
                feed.finish(throwing: error)
            }
        }
        // At once when the reading task is cancelled, too.
        feed.onTermination = { _ in task.cancel() }
        watch(for: limit)
    }

    /// Cancels the request.
    func end() { feed.finish() }

    private func watch(for seconds: Double) {
        DedicatedQueue.run(after: seconds) { [weak self] in
            guard let self else { return }
            let last = lastChunk.load(ordering: .relaxed)
            let now = MonotonicClock().now()
            let silence = Double(now - min(now, last)) / 1e9
            guard silence < limit else { return feed.finish(throwing: TimeoutError(seconds: limit)) }
            watch(for: limit - silence)
        }
    }
}
