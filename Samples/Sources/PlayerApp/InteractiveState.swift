/// A command of the user, as views report it.
public protocol AppIntent: Sendable, Equatable {
    /// Ends the app.
    static var quit: Self { get }

    /// The commands that this one waits for; `nil` for a command that begins at once.
    var lane: IntentLane? { get }
    /// The lane whose later commands wait for this one, which itself begins at once.
    var delayedLane: IntentLane? { get }
    /// Whether the commands that wait in that lane are void, because they were meant for the track before.
    var voidsWaiting: Bool { get }
    /// Whether the newest command of the lane stands for those of this kind that wait before it.
    var replacesWaiting: Bool { get }
    /// What the command has to do with the list that is shown.
    var listUse: ListUse { get }
}

extension AppIntent {
    /// No lane waits for the command.
    public var delayedLane: IntentLane? { nil }
    /// The commands that wait are carried out.
    public var voidsWaiting: Bool { false }
    /// The newest command stands for no other one.
    public var replacesWaiting: Bool { false }
    /// The command has nothing to do with a list.
    public var listUse: ListUse { .none }
}

/// What a command has to do with the list that is shown.
public enum ListUse: Sendable {
    /// Nothing.
    case none
    /// It moves in the list, or changes what is shown.
    case moves
    /// It decides what the next keys mean, because a line is typed.
    case changesKeys
    /// It names a line, which must be that of the list as it is after the changes before.
    case namesLine
}

/// The state of an app. It changes by the user's intents and by the updates of the player or reader that it controls.
@MainActor
package protocol InteractiveState: AnyObject {
    associatedtype Intent: AppIntent
    associatedtype Update: Sendable

    var notices: NoticeLog { get set }
    var isDone: Bool { get set }
    /// Whether everything was played and the app waits for a command.
    var hasEnded: Bool { get }
    var updates: AsyncStream<Update> { get }

    func perform(_ intent: Intent) async throws
    func apply(_ update: Update)
    /// Waits for what must not be lost when the app ends.
    func finishWriting() async
}

extension InteractiveState {
    package var hasEnded: Bool { false }
    package func finishWriting() async {}

    /// Applies updates until they end.
    package func follow() async {
        for await update in updates { apply(update) }
        isDone = true
    }

    /// Performs an intent; an error becomes a notice.
    ///
    /// - Parameters:
    ///   - intent: The intent.
    ///   - dismisses: Whether the notice that was shown has been seen: not when no view has shown it yet.
    package func send(_ intent: Intent, dismisses: Bool = true) async {
        if dismisses { notices.dismiss() }
        do {
            try await perform(intent)
        } catch is CancellationError {
            // A later command has made it void.
        } catch {
            notices.add(Notice(.warning, "\(error)", hints: (error as? Refusal)?.hints ?? []))
        }
    }

    /// Returns a value that was changed by a step and rounded to hundredths, so that steps up and down meet again.
    static func step(_ value: Double, by difference: Double, within range: ClosedRange<Double>) -> Double {
        min(range.upperBound, max(range.lowerBound, ((value + difference) * 100).rounded() / 100))
    }

    /// Returns a volume that was changed by a step. Below 10 % a fifth of it is used: the ear hears ratios, and from 5 to 10 % the amplitude
    /// doubles.
    static func volumeStep(_ volume: Double, by difference: Double) -> Double {
        // Volumes are whole hundredths but for rounding.
        let isQuiet = difference < 0 ? volume < 0.105 : volume < 0.095
        return step(volume, by: isQuiet ? difference / 5 : difference, within: 0...1)
    }
}

/// A message to the user.
public struct Notice: Sendable, Equatable {
    /// The severity.
    public enum Severity: Sendable, Equatable {
        /// Information.
        case information
        /// A problem that the player has handled.
        case warning
        /// An error.
        case error
    }

    /// The severity.
    public var severity: Severity
    /// One line.
    public var text: String
    /// What the message is about, if it can become untrue.
    public var topic: Topic?
    /// Commands that have to do with the message.
    public var hints: [Hint]

    /// A command that has to do with a message. A view names the key that is bound to it.
    public struct Hint: Sendable, Equatable {
        /// The command.
        public let intent: PlayerIntent
        /// What it does, as it stands behind the name of the key: "brings it back".
        public let effect: String

        /// Creates a hint.
        ///
        /// - Parameters:
        ///   - intent: The command.
        ///   - effect: What it does, as it stands behind the name of the key.
        public init(_ intent: PlayerIntent, _ effect: String) {
            self.intent = intent
            self.effect = effect
        }
    }

    /// The subject of a message that is taken back when it is no longer true.
    public enum Topic: Sendable, Equatable {
        /// A stream waits for its data.
        case buffering
        /// The player plays nothing.
        case silence
    }

    /// Creates a notice.
    ///
    /// - Parameters:
    ///   - severity: The severity.
    ///   - text: One line.
    ///   - topic: What the message is about, if it can become untrue.
    ///   - hints: Commands that have to do with the message.
    public init(_ severity: Severity, _ text: String, topic: Topic? = nil, hints: [Hint] = []) {
        self.severity = severity
        self.text = text
        self.topic = topic
        self.hints = hints
    }

    /// Returns the line with the keys of its hints: "removed a; u brings it back".
    ///
    /// - Parameter key: Returns the name of a command's key; `nil` leaves the hint out.
    public func line(naming key: (PlayerIntent) -> String?) -> String {
        let named = hints.compactMap { hint in key(hint.intent).map { "\($0) \(hint.effect)" } }
        return named.isEmpty ? text : "\(text); \(named.joined(separator: ", "))"
    }
}

/// The messages to the user, the newest last.
public struct NoticeLog: Sendable, Equatable {
    /// The newest messages, up to 100.
    public private(set) var kept: [Notice]
    /// The number of all messages, including those that are not kept.
    public private(set) var count: Int

    /// Creates a log.
    ///
    /// - Parameter notices: The first messages.
    public init(_ notices: [Notice] = []) {
        kept = notices
        count = notices.count
        shown = notices.last
    }

    /// The message to show: the newest one, until it was seen or is no longer true.
    public private(set) var shown: Notice?
    /// When the newest message came.
    private(set) var lastAdded = ContinuousClock.now

    /// Returns the kept messages that follow a number of messages.
    ///
    /// - Parameter count: The number of messages to leave out.
    public func suffix(after count: Int) -> ArraySlice<Notice> { kept.suffix(max(0, self.count - count)) }

    /// Notes that the person has seen the message.
    mutating func dismiss() { shown = nil }

    /// Takes back the message about a subject.
    mutating func retract(_ topic: Notice.Topic) {
        if shown?.topic == topic { shown = nil }
    }

    mutating func add(_ notice: Notice) {
        kept.append(notice)
        shown = notice
        lastAdded = .now
        count += 1
        if kept.count > 100 { kept.removeFirst() }
    }
}
