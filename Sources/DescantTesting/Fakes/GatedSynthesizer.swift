public import DescantCore
internal import Synchronization

/// A synthesizer that forwards requests to another one, records them, and delays or fails them as a test says.
///
/// Callable from any thread.
public final class GatedSynthesizer: SpeechSynthesizer, Sendable {
    private struct State {
        var isHeld = false
        var permits = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var order: [UInt64] = []
        var lastWaiter: UInt64 = 0
        var requests: [SpeechRequest] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var failures: [CoreError] = []
        var unknownWords: Set<String> = []
        var cancelled = 0
    }

    /// The capabilities of the other synthesizer, or those given at creation.
    public let capabilities: SpeechCapabilities
    private let base: any SpeechSynthesizer
    private let state = Mutex(State())

    /// Creates a synthesizer that forwards every chunk.
    ///
    /// - Parameters:
    ///   - base: The synthesizer that makes the sound.
    ///   - capabilities: The capabilities to report; `nil` for those of `base`.
    public init(_ base: any SpeechSynthesizer = ToneSynthesizer(), capabilities: SpeechCapabilities? = nil) {
        self.base = base
        self.capabilities = capabilities ?? base.capabilities
    }

    /// Holds chunks from now on until ``release(_:)`` permits them.
    public func hold() { state.withLock { $0.isHeld = true } }

    /// Permits chunks. With ``ToneSynthesizer`` each chunk is one word.
    ///
    /// - Parameter chunks: The number of chunks; `nil` for all from now on.
    public func release(_ chunks: Int? = nil) {
        let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if let chunks { state.permits += chunks } else { state.isHeld = false }
            var woken: [CheckedContinuation<Void, Never>] = []
            while !state.order.isEmpty, !state.isHeld || state.permits > 0 {
                guard let waiter = state.waiting.removeValue(forKey: state.order.removeFirst()) else { continue }
                if state.isHeld { state.permits -= 1 }
                woken.append(waiter)
            }
            return woken
        }
        for waiter in woken { waiter.resume() }
    }

    /// Makes the next requests fail.
    ///
    /// - Parameter errors: One for each request, before its first sound.
    public func fail(_ errors: [CoreError]) { state.withLock { $0.failures += errors } }

    /// Sets the words that are reported as unknown.
    ///
    /// - Parameter words: The words as they are written in the text.
    public func setUnknownWords(_ words: Set<String>) { state.withLock { $0.unknownWords = words } }

    /// The requests so far, in order.
    public var requests: [SpeechRequest] { state.withLock { $0.requests } }

    /// The number of requests that were cancelled before their end.
    public var cancelledCount: Int { state.withLock { $0.cancelled } }

    /// Waits for requests.
    ///
    /// - Parameter count: The minimum number of requests.
    public func waitForRequests(_ count: Int) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isThere = state.withLock { state in
                if state.requests.count < count { state.watchers.append((count, continuation)) }
                return state.requests.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// The voices of the other synthesizer.
    public func voices() async throws -> [SpeechVoice] { try await base.voices() }

    /// Speaks chunk by chunk; a held chunk waits for ``release(_:)``.
    ///
    /// - Parameter request: What to speak.
    public func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: SpeechChunk.self)
        let task = Task {
            do {
                try note(request)
                for try await chunk in base.synthesize(request) {
                    await pass()
                    if Task.isCancelled { break }
                    continuation.yield(marked(chunk, of: request))
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { [weak self] reason in
            guard case .cancelled = reason else { return }
            self?.state.withLock { $0.cancelled += 1 }
            task.cancel()
        }
        return stream
    }

    /// Shuts the other synthesizer down.
    public func shutdown() async {
        release()
        await base.shutdown()
    }

    private func note(_ request: SpeechRequest) throws {
        let (failure, watchers) = state.withLock { state in
            state.requests.append(request)
            let met = state.watchers.filter { $0.count <= state.requests.count }
            state.watchers.removeAll { $0.count <= state.requests.count }
            return (state.failures.isEmpty ? nil : state.failures.removeFirst(), met)
        }
        for watcher in watchers { watcher.continuation.resume() }
        if let failure { throw failure }
    }

    private func pass() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let mayPass = state.withLock { state in
                guard state.isHeld else { return true }
                guard state.permits == 0 else {
                    state.permits -= 1
                    return true
                }
                state.lastWaiter += 1
                state.waiting[state.lastWaiter] = continuation
                state.order.append(state.lastWaiter)
                return false
            }
            if mayPass { continuation.resume() }
        }
    }

    private func marked(_ chunk: SpeechChunk, of request: SpeechRequest) -> SpeechChunk {
        var chunk = chunk
        let unknown = state.withLock { $0.unknownWords }
        let bytes = Array(request.text.utf8)
        for mark in chunk.marks where unknown.contains(String(decoding: bytes[mark.utf8Range], as: UTF8.self)) {
            chunk.warnings.append(
                SpeechWarning(
                    kind: .unknownWord, utf8Range: mark.utf8Range, message: "this voice does not know the word"))
        }
        return chunk
    }
}
