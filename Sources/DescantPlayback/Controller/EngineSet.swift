internal import DescantCore

/// The engines that a controller has made, the selected one among them, and the state of each.
struct EngineSet {
    /// The identifier of the selected engine, which need not be made yet.
    var selected: String?
    private var made: [String: MadeEngine] = [:]
    private var tasks: [String: [Task<Void, Never>]] = [:]
    /// The speeds that engines were set to.
    private var rates: [String: Double] = [:]
    /// The last reported states.
    private var states: [String: EngineState] = [:]
    /// The engines that wait for their first sound.
    private var awaitingSound: Set<String> = []
    /// The numbers of the contents that engines have loaded.
    private var contents: [String: UInt64] = [:]
    /// The progress of engines that another one has replaced.
    private var progress: [String: MediaProgress] = [:]

    subscript(identifier: String) -> (any MediaEngine)? { made[identifier]?.engine }

    var selectedEngine: (any MediaEngine)? { selected.flatMap { self[$0] } }
    var all: [any MediaEngine] { made.values.map(\.engine) }
    var identifiers: [String] { made.keys.sorted() }

    /// Adds an engine and the tasks that follow it.
    mutating func add(_ engine: MadeEngine, tasks: [Task<Void, Never>]) {
        made[engine.identifier] = engine
        self.tasks[engine.identifier] = tasks
    }

    /// What an engine can do; empty before it is made.
    func capabilities(of identifier: String?) -> EngineCapabilities {
        identifier.flatMap { made[$0] }?.capabilities ?? []
    }

    /// Forgets an engine and ends the tasks that follow it.
    mutating func remove(_ identifier: String) {
        for task in tasks.removeValue(forKey: identifier) ?? [] { task.cancel() }
        made[identifier] = nil
        states[identifier] = nil
        contents[identifier] = nil
        rates[identifier] = nil
        awaitingSound.remove(identifier)
    }

    /// The speed that an engine was set to; 1 is normal.
    func rate(of identifier: String) -> Double { rates[identifier] ?? 1 }

    mutating func note(rate: Double, of identifier: String) { rates[identifier] = rate }

    /// Ends following every engine.
    func cancel() {
        for task in tasks.values.joined() { task.cancel() }
    }

    // MARK: Calls

    /// Where the calls of an engine run; `nil` for one that is called directly.
    func threads(of identifier: String) -> EngineThreads? { made[identifier]?.threads }

    /// The commands that an engine has been given, and whether it carries one out.
    func commands(of identifier: String) -> EngineCommandCount { made[identifier]?.commands ?? EngineCommandCount() }

    mutating func commandBegan(_ identifier: String) { made[identifier]?.commands.begin() }

    mutating func commandEnded(_ identifier: String) { made[identifier]?.commands.end() }

    // MARK: Content

    func hasLoaded(_ content: UInt64, _ identifier: String) -> Bool { contents[identifier] == content }

    mutating func loaded(_ content: UInt64, _ identifier: String) { contents[identifier] = content }

    /// Lets the next start of an engine load its content again.
    mutating func forgetContent(of identifier: String) { contents[identifier] = nil }

    /// Notes the progress of an engine that stops playing.
    mutating func left(_ identifier: String, at progress: MediaProgress) { self.progress[identifier] = progress }

    func progressLeft(of identifier: String) -> MediaProgress { progress[identifier] ?? .none }

    mutating func forgetProgress() { progress = [:] }

    // MARK: States

    /// The last reported state of an engine.
    func state(of identifier: String) -> EngineState { states[identifier] ?? .idle }

    /// Notes an engine's state.
    ///
    /// - Returns: The callback that the change stands for in the log; `nil` for none. An engine that waits for its first sound
    ///   has not stalled, and `didStart` comes when it plays.
    mutating func note(_ state: EngineState, of identifier: String) -> String? {
        let before = self.state(of: identifier)
        guard before != state else { return nil }
        states[identifier] = state
        switch (before, state) {
        case (.playing, .buffering), (.paused, .buffering): return "engine.didStall"
        case (_, .buffering):
            awaitingSound.insert(identifier)
            return nil
        default: break
        }
        let isFirst = awaitingSound.remove(identifier) != nil && state == .playing
        return isFirst ? "engine.didStart" : Self.callback(from: before, to: state)
    }

    private static func callback(from before: EngineState, to state: EngineState) -> String? {
        switch (before, state) {
        case (.paused, .playing): "engine.didResume"
        case (.buffering, .playing): "engine.didContinue"
        case (_, .playing): "engine.didStart"
        case (_, .paused): "engine.didPause"
        case (_, .finished): "engine.didFinish"
        case (_, .failed): "engine.didFail"
        case (.playing, .idle), (.paused, .idle), (.buffering, .idle): "engine.didCancel"
        case (_, .idle), (_, .loading), (_, .ready), (_, .buffering): nil
        }
    }
}

extension EngineState {
    /// The name of the case, without its error.
    var name: String {
        switch self {
        case .idle: "idle"
        case .loading: "loading"
        case .ready: "ready"
        case .playing: "playing"
        case .paused: "paused"
        case .buffering: "buffering"
        case .finished: "finished"
        case .failed: "failed"
        }
    }
}
