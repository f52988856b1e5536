internal import DescantCore

/// How long a controller waits for an engine that may hang, in seconds of real time.
///
/// The controller's clock does not count: it may be one that a host moves on, and an engine needs real time to answer.
struct EngineLimits: Sendable {
    /// What an engine is asked for.
    enum Kind {
        /// A value, such as the position.
        case read
        /// A command that needs neither a device nor a file, such as a pause.
        case command
        /// Opening content, or a start.
        case opening
    }

    var read = 10.0
    var command = 30.0
    /// Making an engine, opening content, a start.
    var opening = 120.0
    /// A command of an engine that controls a remote player. Music Assistant's waits up to 10 s for a connection and up to 30 s for each
    /// of three replies, and again after a lost connection.
    var remote = 240.0

    func seconds(for kind: Kind, of capabilities: EngineCapabilities) -> Double {
        switch kind {
        case .read: read
        case .command: capabilities.contains(.remote) ? remote : command
        case .opening: capabilities.contains(.remote) ? remote : opening
        }
    }
}

/// An engine that was made, and what it has said of itself.
struct MadeEngine: Sendable {
    let engine: any MediaEngine
    let identifier: String
    let capabilities: EngineCapabilities
    let states: EventStream<EngineState>
    /// The places of sentences, of an engine that reads.
    let sentences: EventStream<Int>?
    /// Where its calls run; `nil` for an engine with limits of its own, which is called directly.
    let threads: EngineThreads?
    var commands = EngineCommandCount()

    /// Asks an engine for what it says of itself.
    init(_ engine: any MediaEngine) {
        self.engine = engine
        identifier = engine.identifier
        capabilities = engine.capabilities
        states = engine.stateUpdates
        sentences = (engine as? any ReadingEngine)?.sentenceUpdates
        threads = engine is any SelfLimitingEngine ? nil : EngineThreads()
    }
}

/// The threads on which an engine is called. A command that blocks its thread delays no read.
struct EngineThreads: Sendable {
    let commands = DedicatedExecutor("descant.engine.commands")
    let reads = DedicatedExecutor("descant.engine.reads")
}

/// The commands that an engine has been given.
struct EngineCommandCount: Equatable {
    private var begun: UInt64 = 0
    private var running = 0

    /// Whether a command is being carried out.
    var isRunning: Bool { running > 0 }

    mutating func begin() {
        begun &+= 1
        running += 1
    }

    mutating func end() { running -= 1 }
}
