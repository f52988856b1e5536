internal import Dispatch
internal import Synchronization

/// The threads of a synthesizer whose engine blocks. Requests beyond the limit wait in the order of arrival.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#speech-workers -->
/// ```swift
/// func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
///     workers.speak { feed in
///         for chunk in try engine.speech(of: request) where !feed.send(chunk) { return }
///     }
/// }
/// ```
///
/// Callable from any thread.
public final class SpeechWorkers: Sendable {
    private struct Job: Sendable {
        let feed: SpeechFeed
        let work: @Sendable (SpeechFeed) throws -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var running: [Int: SpeechFeed] = [:]
        var started = 0
        var isShutDown = false

        mutating func start(_ job: Job) -> Int {
            started += 1
            running[started] = job.feed
            return started
        }
    }

    private let name: String
    private let limit: Int
    /// Is entered when work is admitted, so that a shutdown waits for what has not begun yet as well.
    private let busy = DispatchGroup()
    private let calls: DispatchQueue
    private let state = Mutex(State())

    /// Creates a pool without threads; each request starts one.
    ///
    /// - Parameters:
    ///   - name: What errors call the synthesizer.
    ///   - limit: How many requests run at a time; 1 or more.
    public init(name: String, limit: Int) {
        self.name = name
        self.limit = max(1, limit)
        calls = DispatchQueue(label: "descant.speech.\(name).calls", qos: .userInitiated)
    }

    /// Whether ``shutdown()`` was called.
    public var isShutDown: Bool { state.withLock(\.isShutDown) }

    /// Makes speech on a thread.
    ///
    /// - Parameter work: Sends the sound to its feed, and returns when all of it is sent or the feed is closed. An error that
    ///   it throws ends the stream.
    /// - Returns: The stream; it throws ``CoreError/invalidState(_:)`` after a shutdown.
    public func speak(
        _ work: @escaping @Sendable (SpeechFeed) throws -> Void
    ) -> AsyncThrowingStream<SpeechChunk, any Error> {
        let (stream, feed) = SpeechFeed.make()
        let job = Job(feed: feed, work: work)
        let (number, isRefused) = state.withLock { state -> (Int?, Bool) in
            if state.isShutDown { return (nil, true) }
            if state.running.count < limit {
                busy.enter()
                return (state.start(job), false)
            }
            state.waiting.append(job)
            return (nil, false)
        }
        if isRefused { feed.finish(throwing: wasShutDown) }
        if let number { run(job, number: number) }
        return stream
    }

    /// Runs something else that blocks, beside the requests: one such piece of work after the other.
    ///
    /// - Parameter work: What to run on a thread.
    /// - Returns: What it returns.
    /// - Throws: What it throws, and ``CoreError/invalidState(_:)`` after a shutdown.
    public func call<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        let isAdmitted = state.withLock { state in
            if !state.isShutDown { busy.enter() }
            return !state.isShutDown
        }
        guard isAdmitted else { throw wasShutDown }
        return try await withCheckedThrowingContinuation { continuation in
            calls.async { [busy] in
                continuation.resume(with: Swift.Result { try work() })
                busy.leave()
            }
        }
    }

    /// Ends every request, and returns when none of their work runs any more. Harmless when repeated.
    public func shutdown() async {
        close()
        await withCheckedContinuation { done in busy.notify(queue: DedicatedQueue.prompt) { done.resume() } }
    }

    /// Ends every request without waiting for their work, and admits no further one. Harmless when repeated.
    func close() {
        let feeds = state.withLock { state in
            state.isShutDown = true
            defer { state.waiting = [] }
            return state.waiting.map(\.feed) + state.running.values
        }
        for feed in feeds { feed.finish(throwing: wasShutDown) }
    }

    private var wasShutDown: CoreError { .invalidState("\(name): the synthesizer was shut down") }

    private func run(_ first: Job, number: Int) {
        DedicatedQueue.run("descant.speech.\(name)") { [self] in
            defer { busy.leave() }
            var (job, number) = (first, number)
            while true {
                do {
                    try job.work(job.feed)
                    job.feed.finish()
                } catch {
                    job.feed.finish(throwing: error)
                }
                guard let next = next(after: number) else { return }
                (job, number) = next
            }
        }
    }

    private func next(after number: Int) -> (Job, Int)? {
        state.withLock { state in
            state.running[number] = nil
            while !state.waiting.isEmpty {
                let job = state.waiting.removeFirst()
                if !job.feed.isClosed { return (job, state.start(job)) }
            }
            return nil
        }
    }
}
