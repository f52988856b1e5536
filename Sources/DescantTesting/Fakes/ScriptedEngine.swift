public import DescantCore
public import Foundation
internal import Synchronization

/// An engine without sound; a test advances its time and makes its methods fail.
///
/// Callable from any thread.
public final class ScriptedEngine: EngineProgressReporting {
    private struct State {
        var state: EngineState = .idle
        var content: MediaContent?
        var position: TimeInterval = 0
        var rate = 1.0
        var calls: [String] = []
        var loadFailures: [CoreError] = []
        var playFailures: [CoreError] = []
    }

    /// The identifier of the engine.
    public let identifier: String
    /// The capabilities that it reports.
    public let capabilities: EngineCapabilities
    private let length: TimeInterval
    private let state = Mutex(State())
    private let hub = EventHub<EngineState>(initial: .idle)

    /// Creates an engine.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the engine.
    ///   - capabilities: The capabilities. Loading, seeking and rates are refused without the matching one.
    ///   - duration: The duration of all content, in seconds.
    public init(
        _ identifier: String, capabilities: EngineCapabilities = [.playsURLs, .speaksText, .seeks, .changesRate],
        duration: TimeInterval = 100
    ) {
        self.identifier = identifier
        self.capabilities = capabilities
        length = duration
    }

    // MARK: For tests

    /// Makes the next loads fail, one error each.
    ///
    /// - Parameter errors: The errors to throw, in order.
    public func failLoading(_ errors: CoreError...) { state.withLock { $0.loadFailures += errors } }

    /// Makes the next starts fail, one error each.
    ///
    /// - Parameter errors: The errors to throw, in order.
    public func failPlaying(_ errors: CoreError...) { state.withLock { $0.playFailures += errors } }

    /// Advances the time; the position moves while the engine plays.
    ///
    /// - Parameter seconds: The time in seconds; the position moves by it times the rate.
    public func pass(_ seconds: TimeInterval) {
        let ended = state.withLock { state in
            guard state.state == .playing else { return false }
            state.position = min(length, state.position + seconds * state.rate)
            return state.position >= length
        }
        if ended { set(.finished) }
    }

    /// Sets the state without a command, as the end of the content or a fault does.
    ///
    /// - Parameter new: The new state.
    public func set(_ new: EngineState) {
        state.withLock { state in
            state.state = new
            hub.post(new)
        }
    }

    /// The calls so far, in order: "load", "play", "pause", "stop", "seek 3.0", "rate 2.0".
    public var calls: [String] { state.withLock { $0.calls } }

    /// The loaded content.
    public var content: MediaContent? { state.withLock { $0.content } }

    /// The speed that was set.
    public var rate: Double { state.withLock { $0.rate } }

    // MARK: The engine

    /// Every change of state.
    public var stateUpdates: EventStream<EngineState> { hub.stream(buffer: .newest) }

    /// The current state.
    public var engineState: EngineState { state.withLock { $0.state } }

    /// The position, in seconds.
    public var currentTime: TimeInterval { state.withLock { $0.position } }

    /// The duration given at creation, in seconds; `nil` without content.
    public var duration: TimeInterval? { state.withLock { $0.content == nil ? nil : length } }

    /// The progress in a text: the fraction of its characters that the position is of the duration.
    public var engineProgress: EngineProgress {
        state.withLock { state in
            guard case .text(let text, _) = state.content else { return EngineProgress() }
            return EngineProgress(characterOffset: Int((Double(text.count) * state.position / length).rounded()))
        }
    }

    /// Loads content.
    ///
    /// - Parameter content: The content to play.
    /// - Throws: The next error of ``failLoading(_:)``; `CoreError.unsupported` for content without the capability.
    public func loadContent(_ content: MediaContent) async throws {
        try change("load") { state in
            state.content = nil
            state.position = 0
            if !state.loadFailures.isEmpty {
                let failure = state.loadFailures.removeFirst()
                state.state = .failed(failure)
                throw failure
            }
            let wanted: EngineCapabilities = if case .text = content { .speaksText } else { .playsURLs }
            guard capabilities.contains(wanted) else {
                throw CoreError.unsupported("\(identifier): this kind of content is not supported")
            }
            state.content = content
            state.state = .ready
        }
    }

    /// Plays.
    ///
    /// - Throws: The next error of ``failPlaying(_:)``; `CoreError.invalidState` without content.
    public func play() async throws {
        try change("play") { state in
            if !state.playFailures.isEmpty { throw state.playFailures.removeFirst() }
            guard state.content != nil else { throw CoreError.invalidState("\(identifier): nothing is loaded") }
            if state.state == .finished { state.position = 0 }
            state.state = .playing
        }
    }

    /// Pauses.
    public func pause() async {
        change("pause") { if $0.state == .playing || $0.state == .buffering { $0.state = .paused } }
    }

    /// Stops.
    public func stop() async {
        change("stop") { state in
            state.position = 0
            state.state = .idle
        }
    }

    /// Moves to a position.
    ///
    /// - Parameter position: The new position.
    /// - Throws: `CoreError.invalidState` without content, `CoreError.unsupported` for a character offset in content that
    ///   is not text.
    public func seek(to position: MediaPosition) async throws {
        try change(nil) { state in
            guard let content = state.content else { throw CoreError.invalidState("\(identifier): nothing is loaded") }
            switch (position, content) {
            case (.time(let time), _): state.position = time
            case (.fraction(let share), _): state.position = share * length
            case (.characterOffset(let offset), .text(let text, _)):
                state.position = text.isEmpty ? 0 : length * Double(offset) / Double(text.count)
            case (.characterOffset, .url): throw CoreError.unsupported("\(identifier): a URL has no character offsets")
            }
            state.position = min(length, max(0, state.position))
            state.calls.append("seek \(state.position)")
        }
    }

    /// Sets the speed.
    ///
    /// - Parameter rate: 0.5…3.
    /// - Throws: `CoreError.invalidArgument` outside the range, `CoreError.unsupported` without the capability.
    public func setRate(_ rate: Double) async throws {
        try change("rate \(rate)") { state in
            guard capabilities.contains(.changesRate) || rate == 1 else {
                throw CoreError.unsupported("\(identifier): only rate 1")
            }
            guard (0.5...3).contains(rate) else { throw CoreError.invalidArgument("a rate of \(rate)") }
            state.rate = rate
        }
    }

    private func change(_ call: String?, _ body: (inout State) throws -> Void) rethrows {
        try state.withLock { state in
            if let call { state.calls.append(call) }
            let before = state.state
            defer { if state.state != before { hub.post(state.state) } }
            try body(&state)
        }
    }
}
