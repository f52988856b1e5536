public import DescantCore
internal import Synchronization

/// Passes requests on to another synthesizer when a test says so, keeps what was asked for, and fails on demand.
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

    /// What the other synthesizer can do.
    public let capabilities: SpeechCapabilities
    private let base: any SpeechSynthesizer
    private let state = Mutex(State())

    /// Creates a synthesizer that lets everything pass.
    ///
    /// - Parameters:
    ///   - base: What makes the sound.
    ///   - capabilities: What it is said to be able to do; `nil` for what it says itself.
    public init(_ base: any SpeechSynthesizer = ToneSynthesizer(), capabilities: SpeechCapabilities? = nil) {
        self.base = base
        self.capabilities = capabilities ?? base.capabilities
    }

    /// Lets nothing pass from now on but what is permitted.
    public func hold() { state.withLock { $0.isHeld = true } }

    /// Lets chunks pass, each of which is one word with tones.
    ///
    /// - Parameter chunks: How many; `nil` for all from now on.
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

    /// Words that are reported as unknown.
    ///
    /// - Parameter words: As they are written.
    public func setUnknownWords(_ words: Set<String>) { state.withLock { $0.unknownWords = words } }

    /// What was asked for, in order.
    public var requests: [SpeechRequest] { state.withLock { $0.requests } }

    /// How many requests nobody wanted to the end.
    public var cancelledCount: Int { state.withLock { $0.cancelled } }

    /// Waits until so much was asked for.
    ///
    /// - Parameter count: How many requests at least.
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

    /// Speaks chunk by chunk, as permitted.
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

    /// Ends the other synthesizer.
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
