import DescantCore
import Synchronization

/// Returns scripted chunks for each attempt, then an error or the end.
final class ScriptedSynthesizer: SpeechSynthesizer {
    struct Attempt: Sendable {
        var chunks: [SpeechChunk]
        var error: CoreError?
    }

    let capabilities = SpeechCapabilities(
        wordTiming: .exact, cancelGranularity: .immediate, concurrency: 1, rateRange: 0.5...3)
    private let attempts: Mutex<[Attempt]>

    /// - Parameter attempts: In order; the last one is repeated.
    init(_ attempts: [Attempt]) { self.attempts = Mutex(attempts) }

    func voices() async throws -> [SpeechVoice] { [] }

    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        let attempt = attempts.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        return AsyncThrowingStream { continuation in
            for chunk in attempt.chunks { continuation.yield(chunk) }
            continuation.finish(throwing: attempt.error)
        }
    }

    func shutdown() async {}
}
