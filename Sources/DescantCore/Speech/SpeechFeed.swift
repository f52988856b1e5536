internal import Dispatch
internal import Synchronization

/// A bounded queue of synthesised sound between the thread that makes it and the task that reads the stream.
///
/// Speech engines call back on a thread of their own and are faster than playback. ``send(_:)`` blocks that thread
/// while the queue is full, and returns `false` when the stream has no listener any more:
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#speech-feed -->
/// ```swift
/// func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
///     let (stream, feed) = SpeechFeed.make()
///     queue.async {
///         do {
///             for chunk in try engine.speech(of: request) where !feed.send(chunk) { return }
///             feed.finish()
///         } catch {
///             feed.finish(throwing: error)
///         }
///     }
///     return stream
/// }
/// ```
///
/// One thread sends, and the stream has one listener; ``finish(throwing:)`` may be called from any thread.
public final class SpeechFeed: Sendable {
    private struct State {
        var waiting: [SpeechChunk] = []
        var listener: CheckedContinuation<SpeechChunk?, any Error>?
        var ending: Result<Void, any Error>?
        var isCancelled = false
        var onCancel: (@Sendable () -> Void)?
        var onClose: (@Sendable () -> Void)?
    }

    /// Cancels the feed when the stream and all of its iterators are released.
    private final class Listening: Sendable {
        let feed: SpeechFeed
        init(_ feed: SpeechFeed) { self.feed = feed }
        deinit { feed.cancel() }
    }

    private let state: Mutex<State>
    // Counts free places. It starts at 0 and is raised: libdispatch traps when a semaphore is freed below its initial value.
    private let places = DispatchSemaphore(value: 0)

    private init(capacity: Int, onCancel: (@Sendable () -> Void)?) {
        state = Mutex(State(onCancel: onCancel))
        for _ in 0..<max(1, capacity) { places.signal() }
    }

    /// Makes a stream and the feed behind it.
    ///
    /// - Parameters:
    ///   - capacity: How many chunks may wait for the listener; 1 or more.
    ///   - onCancel: Called once, on any thread, when the listener goes before the end. Must return at once.
    /// - Returns: What ``SpeechSynthesizer/synthesize(_:)`` returns, and where its sound goes.
    public static func make(
        capacity: Int = 8, onCancel: (@Sendable () -> Void)? = nil
    ) -> (stream: AsyncThrowingStream<SpeechChunk, any Error>, feed: SpeechFeed) {
        let feed = SpeechFeed(capacity: capacity, onCancel: onCancel)
        let listening = Listening(feed)
        return (AsyncThrowingStream { try await listening.feed.next() }, feed)
    }

    /// Whether the stream has no listener any more or ``finish(throwing:)`` was called; further sound is discarded.
    public var isClosed: Bool { state.withLock { $0.isCancelled || $0.ending != nil } }

    /// Sets what is called once, on any thread, when the feed is closed; at once when it is.
    ///
    /// - Parameter work: Must return at once.
    package func onClose(_ work: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            guard !state.isCancelled, state.ending == nil else { return true }
            state.onClose = work
            return false
        }
        if isClosed { work() }
    }

    /// Hands over a chunk; blocks while as many chunks wait as there is room for, and not behind the end of the stream.
    ///
    /// - Parameter chunk: The next sound.
    /// - Returns: Whether the stream still has a listener; `false` asks the synthesis to stop.
    public func send(_ chunk: SpeechChunk) -> Bool {
        places.wait()
        let (listener, isWanted) = state.withLock { state in
            guard !state.isCancelled, state.ending == nil else { return (nil as Listener?, false) }
            defer { state.listener = nil }
            if state.listener == nil { state.waiting.append(chunk) }
            return (state.listener, true)
        }
        // The place stays free: of a chunk that goes to the listener, and of one that nobody wants, whose sender may send again.
        if listener != nil || !isWanted { places.signal() }
        listener?.resume(returning: chunk)
        return isWanted
    }

    /// Ends the stream behind the chunks that wait; only the first call counts. From another thread than the one that sends,
    /// it stops that one.
    ///
    /// - Parameter error: The reason for an early end; `nil` when all sound was sent.
    public func finish(throwing error: (any Error)? = nil) {
        let ending: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
        let (listener, onClose) = state.withLock { state in
            guard state.ending == nil else { return (nil as Listener?, nil as (@Sendable () -> Void)?) }
            state.ending = ending
            state.onCancel = nil
            defer {
                state.listener = nil
                state.onClose = nil
            }
            return (state.listener, state.onClose)
        }
        places.signal()
        onClose?()
        listener?.resume(with: ending.map { nil })
    }

    private typealias Listener = CheckedContinuation<SpeechChunk?, any Error>

    private func cancel() {
        let (listener, calls) = state.withLock { state in
            guard !state.isCancelled else { return (nil as Listener?, [] as [@Sendable () -> Void]) }
            state.isCancelled = true
            state.waiting = []
            defer {
                state.listener = nil
                state.onCancel = nil
                state.onClose = nil
            }
            return (state.listener, [state.onCancel, state.onClose].compactMap { $0 })
        }
        places.signal()
        for call in calls { call() }
        listener?.resume(returning: nil)
    }

    private func next() async throws -> SpeechChunk? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { listener in
                let ready = state.withLock { state -> Result<SpeechChunk?, any Error>? in
                    if state.isCancelled { return .success(nil) }
                    if !state.waiting.isEmpty { return .success(state.waiting.removeFirst()) }
                    if let ending = state.ending { return ending.map { nil } }
                    state.listener = listener
                    return nil
                }
                guard let ready else { return }
                if case .success(.some) = ready { places.signal() }
                listener.resume(with: ready)
            }
        } onCancel: {
            cancel()
        }
    }
}
