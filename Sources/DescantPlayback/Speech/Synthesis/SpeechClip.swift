internal import DescantCore
internal import Synchronization

/// The sound of one request, which grows while it is made. One task writes; any thread reads.
final class SpeechClip: Sendable {
    /// How the making ended.
    enum End: Sendable {
        case complete
        case failed(CoreError)
        /// It is not needed any more.
        case cancelled
    }

    private struct State {
        var samples: [Float] = []
        var sampleRate = 0
        var marks: [SpeechMark] = []
        var warnings: [SpeechWarning] = []
        var end: End?
        var waiting: [(forEnd: Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    /// What was asked for.
    let request: SpeechRequest
    /// Whether the sound may be played before all of it is there: otherwise its marks are not known yet.
    let isReadableWhileGrowing: Bool
    private let signal: EventCount
    private let state = Mutex(State())

    init(_ request: SpeechRequest, isReadableWhileGrowing: Bool, signal: EventCount) {
        self.request = request
        self.isReadableWhileGrowing = isReadableWhileGrowing
        self.signal = signal
    }

    // MARK: Writing

    func append(_ samples: [Float], sampleRate: Int, marks: [SpeechMark], warnings: [SpeechWarning]) {
        let woken = state.withLock { state in
            if state.end != nil { return [CheckedContinuation<Void, Never>]() }
            if state.sampleRate == 0 { state.sampleRate = sampleRate }
            state.samples.append(contentsOf: samples)
            state.marks.append(contentsOf: marks)
            state.warnings.append(contentsOf: warnings)
            return takeWaiting(from: &state)
        }
        wake(woken)
    }

    /// Ends it, unless it has ended.
    ///
    /// - Returns: Whether it had not.
    @discardableResult
    func finish(_ end: End, estimatedMarks: (_ frames: Int) -> [SpeechMark] = { _ in [] }) -> Bool {
        let woken = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
            if state.end != nil { return nil }
            state.end = end
            // What grows has room for up to as much again, which a clip that is kept would hold for nothing.
            state.samples = state.samples.withUnsafeBufferPointer { Array($0) }
            if state.marks.isEmpty, case .complete = end { state.marks = estimatedMarks(state.samples.count) }
            return takeWaiting(from: &state)
        }
        guard let woken else { return false }
        wake(woken)
        return true
    }

    private func takeWaiting(from state: inout State) -> [CheckedContinuation<Void, Never>] {
        let waiting = state.waiting
        state.waiting = waiting.filter { !isMet(forEnd: $0.forEnd, state) }
        return waiting.filter { isMet(forEnd: $0.forEnd, state) }.map(\.continuation)
    }

    private func isMet(forEnd: Bool, _ state: borrowing State) -> Bool {
        state.end != nil || !forEnd && isReadableWhileGrowing && !state.samples.isEmpty
    }

    private func wake(_ woken: [CheckedContinuation<Void, Never>]) {
        for continuation in woken { continuation.resume() }
        signal.raise()
    }

    // MARK: Reading

    /// Frames that can be read now.
    var count: Int { state.withLock { readable($0) } }

    private func readable(_ state: borrowing State) -> Int {
        isReadableWhileGrowing || state.end != nil ? state.samples.count : 0
    }

    /// Frames per second; 0 while nothing was made.
    var sampleRate: Int { state.withLock { $0.sampleRate } }

    /// How the making ended; `nil` while it goes on.
    var end: End? { state.withLock { $0.end } }

    /// Whether everything is there.
    var isComplete: Bool { if case .complete = end { true } else { false } }

    /// The marks from an index on.
    func marks(from index: Int) -> ArraySlice<SpeechMark> { state.withLock { $0.marks.dropFirst(index) } }

    /// What could not be spoken.
    var warnings: [SpeechWarning] { state.withLock { $0.warnings } }

    /// The length of what is kept, in bytes.
    var byteCount: Int { state.withLock { $0.samples.count * 4 + $0.marks.count * 48 + 512 } }

    /// The seconds that it takes to speak at the rate 1.
    var secondsAtNormalRate: Double {
        state.withLock { $0.sampleRate > 0 ? Double($0.samples.count) / Double($0.sampleRate) * request.rate : 0 }
    }

    /// Copies frames that are there.
    ///
    /// - Returns: How many were copied.
    func copy(from frame: Int, to target: UnsafeMutablePointer<Float>, maxFrames: Int) -> Int {
        let target = Target(start: target)
        return state.withLock { state in
            let count = max(0, min(maxFrames, readable(state) - frame))
            state.samples.withUnsafeBufferPointer { samples in
                if count > 0, let base = samples.baseAddress { target.start.update(from: base + frame, count: count) }
            }
            return count
        }
    }

    /// Waits until the first frames are there, or it is certain that there will be none.
    func waitUntilBegun() async { await wait(forEnd: false) }

    /// Waits until the making has ended.
    func waitUntilEnded() async { await wait(forEnd: true) }

    private func wait(forEnd: Bool) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isMetNow = state.withLock { state in
                if isMet(forEnd: forEnd, state) { return true }
                state.waiting.append((forEnd, continuation))
                return false
            }
            if isMetNow { continuation.resume() }
        }
    }

    /// Memory that is only written during one call.
    private struct Target: @unchecked Sendable {
        // Safe: made and used inside one call, by one thread; a lock's closure only sees it as sendable.
        let start: UnsafeMutablePointer<Float>
    }
}
