internal import Synchronization

/// Gives up on what hangs.
///
/// The work is left behind when it does not end: a synthesizer that hangs cannot be made to end.
enum TimeLimit {
    struct Exceeded: Error, CustomStringConvertible {
        let seconds: Double
        var description: String { "no end within \(seconds) s" }
    }

    static func run<Result: Sendable>(
        seconds: Double, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let answer = Answer()
        return try await withCheckedThrowingContinuation { continuation in
            let limit = Task {
                try? await Task.sleep(for: .seconds(seconds))
                if answer.claim() { continuation.resume(throwing: Exceeded(seconds: seconds)) }
            }
            Task {
                let result: Swift.Result<Result, any Error>
                do { result = .success(try await work()) } catch { result = .failure(error) }
                if answer.claim() { continuation.resume(with: result) }
                limit.cancel()
            }
        }
    }

    /// Lets the first of two through.
    private final class Answer: Sendable {
        private let isTaken = Mutex(false)

        func claim() -> Bool {
            isTaken.withLock { isTaken in
                defer { isTaken = true }
                return !isTaken
            }
        }
    }
}
