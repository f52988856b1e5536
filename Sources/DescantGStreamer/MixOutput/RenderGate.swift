internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// Limits the rendering thread, and blocks it at the limit.
///
/// In real time there is no limit. Offline every `advance` grants frames and waits until they are rendered.
final class RenderGate: Sendable {
    enum Permit {
        /// Render up to this many frames.
        case frames(Int)
        /// Render nothing more: end the stream.
        case drain
        /// The session is over.
        case closed
    }

    private struct State {
        var remaining: Int64
        var rendered: Int64 = 0
        var isDraining = false
        var isClosed = false
        var isRendererWaiting = false
        /// Whether the rendering thread sleeps until a wake-up.
        var isAsleep = false
        /// Whether the next block is rendered early.
        var rendersEarly = false
        /// Whether a wake-up came since the last permit. The block rendered then may not contain the new sound.
        var wasWoken = false
        var failure: CoreError?
        var advance: CheckedContinuation<Result<Int64, CoreError>, Never>?

        mutating func takeAdvance() -> CheckedContinuation<Result<Int64, CoreError>, Never>? {
            defer { advance = nil }
            return advance
        }
    }

    private static let unlimited = Int64.max
    private let state: Mutex<State>
    // Not a dispatch semaphore: its time limits follow the wall clock on Linux, and setting that back would stop the
    // sound.
    private let wakeUp = EventCount()
    private let isOffline: Bool

    init(isOffline: Bool) {
        self.isOffline = isOffline
        state = Mutex(State(remaining: isOffline ? 0 : Self.unlimited))
    }

    // MARK: The rendering thread

    /// Waits for a permit to render.
    func next(upTo frames: Int) -> Permit {
        while true {
            let seen = wakeUp.raises
            let permit: Permit? = state.withLock { state in
                if state.isClosed { return .closed }
                if state.isDraining { return .drain }
                if state.remaining > 0, !state.isAsleep {
                    state.wasWoken = false
                    return .frames(Int(min(Int64(frames), state.remaining)))
                }
                state.isRendererWaiting = true
                return nil
            }
            if let permit { return permit }
            wakeUp.wait(after: seen)
        }
    }

    /// The event that interrupts a pause, besides the session's end.
    enum Interruption {
        case none, drain, drainOrWake
    }

    /// Waits for a while.
    func pause(nanoseconds: Int64, until interruption: Interruption) {
        let seen = wakeUp.raises
        let isOver = state.withLock { state in
            state.isRendererWaiting = true
            return switch interruption {
            case .none: state.isClosed
            case .drain: state.isClosed || state.isDraining
            case .drainOrWake: state.isClosed || state.isDraining || state.rendersEarly
            }
        }
        if !isOver { wakeUp.wait(after: seen, deadline: MonotonicClock().now() + UInt64(max(0, nanoseconds))) }
        state.withLock { $0.isRendererWaiting = false }
    }

    /// Whether the next block is rendered early.
    var rendersEarly: Bool { state.withLock { $0.rendersEarly } }

    /// Notes that the early block is being rendered.
    func endEarlyRendering() { state.withLock { $0.rendersEarly = false } }

    /// Sleeps until the next wake-up, unless one came since the last permit.
    func sleep() { state.withLock { $0.isAsleep = !$0.wasWoken } }

    /// Counts rendered frames; 0 stops rendering until the output is advanced or started again.
    func consume(_ frames: Int) {
        let (advance, rendered) = state.withLock { state in
            state.rendered += Int64(frames)
            if frames == 0, !state.wasWoken { state.remaining = 0 }
            if isOffline { state.remaining -= min(state.remaining, Int64(frames)) }
            return (state.remaining == 0 ? state.takeAdvance() : nil, state.rendered)
        }
        advance?.resume(returning: .success(rendered))
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    // MARK: Everybody else

    /// Grants frames and waits until they are rendered or the source has none.
    ///
    /// - Returns: The number of frames rendered.
    func advance(frames: Int64) async throws(CoreError) -> Int64 {
        let result = await withCheckedContinuation { continuation in
            let refusal: CoreError? = state.withLock { state in
                if let failure = state.failure { return failure }
                if state.isClosed || state.isDraining { return .invalidState("the output is finished") }
                if state.advance != nil { return .invalidState("the output is being advanced already") }
                state.rendered = 0
                state.remaining = frames
                state.advance = continuation
                return nil
            }
            if let refusal { continuation.resume(returning: .failure(refusal)) } else { wakeRenderer() }
        }
        return try result.get()
    }

    /// Continues after the source had no frames.
    func resume() {
        guard !isOffline else { return }
        state.withLock { $0.remaining = Self.unlimited }
        wakeRenderer()
    }

    /// Ends a sleep, and lets the next block be rendered early.
    func wake() {
        guard !isOffline else { return }
        state.withLock { state in
            state.remaining = Self.unlimited
            state.isAsleep = false
            state.rendersEarly = true
            state.wasWoken = true
        }
        wakeRenderer()
    }

    func drain() {
        state.withLock { $0.isDraining = true }
        wakeRenderer()
    }

    /// Ends rendering; a block that is being rendered is completed.
    func close() { end(with: .invalidState("the output was shut down while it rendered")) }

    /// Ends rendering; a waiting `advance` throws the error.
    func fail(_ error: CoreError) { end(with: error) }

    private func end(with error: CoreError) {
        let advance = state.withLock { state in
            state.isClosed = true
            state.failure = state.failure ?? error
            return state.takeAdvance()
        }
        wakeRenderer()
        advance?.resume(returning: .failure(error))
    }

    private func wakeRenderer() {
        let isWaiting = state.withLock { state in
            defer { state.isRendererWaiting = false }
            return state.isRendererWaiting
        }
        if isWaiting { wakeUp.raise() }
    }
}
