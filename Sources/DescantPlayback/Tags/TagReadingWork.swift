internal import DescantCore
internal import Foundation
internal import Synchronization

/// Reads files on a few threads, and only as far ahead as results are taken.
///
/// Threads take some files at a time, as handing over each one would cost as much as reading it. A thread that finds enough results
/// waiting ends; taking results starts threads again. So no thread ever waits.
final class TagReadingWork: Sendable {
    typealias Outcome = (URL, Result<Track, CoreError>)

    private struct State {
        var files: AudioFileList
        var ready: [TagReadingResult] = []
        /// Batches that are read before one in front of them is, by their numbers.
        var early: [Int: [Outcome]] = [:]
        /// How many batches were begun.
        var begun = 0
        /// How many batches are ready or taken.
        var completed = 0
        var threads = 0
        var filesRead = 0
        var isExhausted = false
        var isCancelled = false
        var waiting: CheckedContinuation<Void, Never>?

        /// Adds the results of a batch. A batch is ready when all in front of it are.
        mutating func add(_ outcomes: [Outcome], of batch: Int) {
            early[batch] = outcomes
            while let next = early.removeValue(forKey: completed) {
                completed += 1
                for (url, outcome) in next { add(url, outcome) }
            }
        }

        /// Drops all results.
        mutating func drop() { (ready, early) = ([], [:]) }

        private mutating func add(_ url: URL, _ outcome: Result<Track, CoreError>) {
            filesRead += 1
            let progress = TagReadingProgress(
                filesRead: filesRead, filesFound: files.foundCount, isComplete: files.isComplete)
            ready.append(TagReadingResult(url: url, outcome: outcome, progress: progress))
        }
    }

    private static let batch = 8

    private let state: Mutex<State>
    private let parallelism: Int
    private let read: @Sendable (URL) throws -> Track

    init(files: AudioFileList, parallelism: Int, read: @escaping @Sendable (URL) throws -> Track) {
        state = Mutex(State(files: files))
        self.parallelism = parallelism
        self.read = read
    }

    /// How many results may wait before no more files are begun.
    private var capacity: Int { 2 * Self.batch * parallelism }

    /// Results that are ready; waits for the first one. Empty when all are read or the task was cancelled.
    func next(isolation: isolated (any Actor)?) async -> [TagReadingResult] {
        await withTaskCancellationHandler {
            while true {
                let (results, isDone) = take()
                if isDone || !results.isEmpty { return results }
                await withCheckedContinuation(isolation: isolation) { continuation in
                    let isReady = state.withLock { state in
                        let isReady = !state.ready.isEmpty || state.threads == 0
                        if !isReady { state.waiting = continuation }
                        return isReady
                    }
                    if isReady { continuation.resume() }
                }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Begins no further file and drops what is ready.
    func cancel() {
        let waiting = state.withLock { state in
            state.isCancelled = true
            state.drop()
            return Self.wake(&state)
        }
        waiting?.resume()
    }

    private static func wake(_ state: inout State) -> CheckedContinuation<Void, Never>? {
        defer { state.waiting = nil }
        return state.waiting
    }

    private func take() -> ([TagReadingResult], isDone: Bool) {
        let (results, started, isDone) = state.withLock { state in
            let results = state.ready
            state.ready = []
            if state.isCancelled { return ([TagReadingResult](), 0, true) }
            let started = state.isExhausted ? 0 : parallelism - state.threads
            state.threads += started
            return (results, started, results.isEmpty && state.isExhausted && state.threads == 0)
        }
        for _ in 0..<started { DedicatedQueue.run("descant.tags", qos: .utility) { self.work() } }
        return (results, isDone)
    }

    // MARK: On a thread

    private func work() {
        while let (batch, found) = begin() {
            let outcomes = found.map { Self.outcome(of: $0, read) }
            let waiting = state.withLock { state in
                // Counted in the order in which results are given, so that progress never goes back.
                if !state.isCancelled { state.add(outcomes, of: batch) }
                return state.ready.isEmpty ? nil : Self.wake(&state)
            }
            waiting?.resume()
        }
        let waiting = state.withLock { state in
            state.threads -= 1
            return state.threads == 0 ? Self.wake(&state) : nil
        }
        waiting?.resume()
    }

    /// The next files and the number of their batch; `nil` when this thread has nothing to do.
    private func begin() -> (batch: Int, files: [AudioFileList.Found])? {
        state.withLock { state in
            let count = state.ready.count + state.early.count * Self.batch
            guard !state.isCancelled, !state.isExhausted, count < capacity else { return nil }
            var found: [AudioFileList.Found] = []
            while found.count < Self.batch, let next = state.files.next() { found.append(next) }
            if found.count < Self.batch { state.isExhausted = true }
            guard !found.isEmpty else { return nil }
            defer { state.begun += 1 }
            return (state.begun, found)
        }
    }

    /// Reads what was found.
    static func outcome(
        of found: AudioFileList.Found, _ read: (URL) throws -> Track
    ) -> Outcome {
        switch found {
        case .failure(let url, let error): return (url, .failure(error))
        case .file(let url):
            do {
                return (url, .success(try read(url)))
            } catch {
                return (url, .failure(error as? CoreError ?? .ioError(underlying: error)))
            }
        }
    }
}
