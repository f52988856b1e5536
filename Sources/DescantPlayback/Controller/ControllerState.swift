internal import DescantCore

/// The ports that a controller uses, its fixed settings, and its membership of the audio session.
struct ControllerPorts: Sendable {
    let catalog: any EngineCatalog
    let session: AudioSessionCoordinator?
    let selection: any EngineSelection
    let policy: EngineInitializationPolicy
    let configuration: AudioSessionConfiguration?
    let clock: any ClockPort
    let logger: any LoggerPort
    let sessionMember = AudioSessionMember()
}

/// The event hubs of a controller.
struct ControllerHubs: Sendable {
    let state = EventHub(
        initial: MediaPlaybackState(
            engine: nil, capabilities: [], activity: .idle, content: nil, sections: [], progress: .none, rate: 1,
            lastErrorMessage: nil, offeredEngine: nil, session: .inactive))
    let events = EventHub<MediaPlaybackEvent>()
    let remote = EventHub<RemoteChange>()
    let speech = EventHub<SpeechEvent>()

    func finish() {
        state.finish()
        events.finish()
        remote.finish()
        speech.finish()
    }
}

/// What decides whether an engine can be used for the content, for callers that do not wait for the controller.
struct EngineFitness: Sendable {
    /// What the content needs; `nil` without content.
    var needed: EngineCapabilities?
    /// What the engines that were made can do.
    var made: [String: EngineCapabilities] = [:]
    /// Why engines that have hung are not used again.
    var givenUp: [String: String] = [:]
}

/// The activity of a controller and its last failure.
struct ControllerStatus {
    var activity = MediaPlaybackState.Activity.idle
    /// The activity that was published last.
    var publishedActivity = MediaPlaybackState.Activity.idle
    /// The last error, for a person; `nil` after a success.
    var message: String?
    /// After a failed start, another engine that could play the content.
    var offeredEngine: String?

    /// Forgets the last failure.
    mutating func clearFailure() {
        message = nil
        offeredEngine = nil
    }
}

/// The commands of a controller: one at a time, in the order of their arrival.
struct ControllerCommands {
    let queue = AsyncSerialQueue()
    /// The number of user commands that wait for earlier ones.
    private(set) var waiting = 0
    /// The number of user commands that were carried out. A command that waits behind an interruption is not counted, so the
    /// interruption still resumes and the command runs last.
    private(set) var carriedOut: UInt64 = 0
    /// The number of starts, for the log.
    private(set) var starts: UInt64 = 0
    private var starting: Task<Void, any Error>?
    private var loading: Task<Void, any Error>?
    /// Whether a start was ended, and no user command has run since.
    private var hasEndedStart = false
    /// Whether the user command that runs now has ended a start.
    private(set) var endsStart = false

    /// Whether a start is being tried.
    var isStarting: Bool { starting != nil }

    /// Notes a user command that waits for its turn, and ends the start or the opening that would delay it.
    mutating func wait() {
        waiting += 1
        starting?.cancel()
        loading?.cancel()
    }

    /// Notes that a user command runs now.
    mutating func run() {
        waiting -= 1
        (endsStart, hasEndedStart) = (hasEndedStart, false)
        count()
    }

    /// Counts a user command.
    mutating func count() { carriedOut &+= 1 }

    /// Counts a start.
    mutating func countStart() { starts &+= 1 }

    /// Notes a start that a later command can end. One that waits already ends it at once.
    mutating func startBegan(_ task: Task<Void, any Error>) {
        starting = task
        if waiting > 0 { task.cancel() }
    }

    mutating func startEnded() { starting = nil }

    /// Notes that a start has ended for a later command, which waits.
    mutating func endedStart() { hasEndedStart = true }

    /// Notes that content is being opened, which a later command can end. One that waits already ends it at once.
    mutating func loadingBegan(_ task: Task<Void, any Error>) {
        loading = task
        if waiting > 0 { task.cancel() }
    }

    mutating func loadingEnded() { loading = nil }
}

/// Keeps published states in order, although each takes a while to be collected.
struct PublicationOrder {
    /// The number of the state that was begun last.
    private(set) var begun: UInt64 = 0
    private var published: UInt64 = 0

    /// Returns the number of a state that is being collected.
    mutating func begin() -> UInt64 {
        begun &+= 1
        return begun
    }

    /// Returns whether a state is still to be published: `false` after a newer one.
    mutating func publish(_ number: UInt64) -> Bool {
        guard number > published else { return false }
        published = number
        return true
    }
}

/// The time during which the sound server is away and playing waits for it.
struct ServerOutage {
    /// The position at which playing was interrupted; `nil` outside an outage.
    private(set) var position: MediaPosition?
    /// Gives up the waiting.
    private var timer: Task<Void, Never>?

    /// Begins an outage; one that has begun keeps its position.
    mutating func begin(at position: MediaPosition) {
        if self.position == nil { self.position = position }
    }

    /// Notes a seek: playing goes on there.
    mutating func move(to position: MediaPosition) {
        if self.position != nil { self.position = position }
    }

    /// Ends the waiting after a while, in place of an earlier timer.
    mutating func startTimer(_ task: Task<Void, Never>) {
        timer?.cancel()
        timer = task
    }

    /// Notes the task that goes on where a timer that has fired leaves off.
    mutating func continueTimer(_ task: Task<Void, Never>) { timer = task }

    mutating func stopTimer() { timer?.cancel() }

    /// Ends the outage and leaves its timer alone, which may be the caller.
    mutating func forget() { position = nil }

    /// Ends the outage and its timer.
    mutating func end() {
        stopTimer()
        forget()
    }

    /// Cancels the timer of a controller that is gone.
    func cancel() { timer?.cancel() }
}

/// The gain that the audio session allows, and the engine that it was applied to.
struct SessionGain {
    /// Linear; 1 leaves engines as they are.
    var level = 1.0
    private var reduced: String?

    /// Returns an engine that is to be as loud as before, because another one is selected now.
    mutating func restore(besides selected: String?) -> String? {
        guard let left = reduced, left != selected else { return nil }
        reduced = nil
        return left
    }

    /// Returns whether ``level`` is to be applied to the selected engine.
    mutating func reduce(_ selected: String) -> Bool {
        guard level != 1 || reduced == selected else { return false }
        reduced = level == 1 ? nil : selected
        return true
    }
}
