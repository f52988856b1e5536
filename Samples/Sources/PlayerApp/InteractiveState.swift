/// A command of the user, as views report it.
public protocol AppIntent: Sendable, Equatable {
    /// Ends the app.
    static var quit: Self { get }
}

/// The state of an app. It changes by the user's intents and by the updates of the player or reader that it controls.
@MainActor
package protocol InteractiveState: AnyObject {
    associatedtype Intent: AppIntent
    associatedtype Update: Sendable

    var notices: NoticeLog { get set }
    var isDone: Bool { get set }
    var updates: AsyncStream<Update> { get }

    func perform(_ intent: Intent) async throws
    func apply(_ update: Update)
}

extension InteractiveState {
    /// Applies updates until they end.
    package func follow() async {
        for await update in updates { apply(update) }
        isDone = true
    }

    /// Performs an intent; an error becomes a notice.
    package func send(_ intent: Intent) async {
        do {
            try await perform(intent)
        } catch {
            notices.add(Notice(.warning, "\(error)"))
        }
    }

    /// Returns a value that was changed by a step and rounded to hundredths, so that steps up and down meet again.
    static func step(_ value: Double, by difference: Double, within range: ClosedRange<Double>) -> Double {
        min(range.upperBound, max(range.lowerBound, ((value + difference) * 100).rounded() / 100))
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

    /// Creates a notice.
    ///
    /// - Parameters:
    ///   - severity: The severity.
    ///   - text: One line.
    public init(_ severity: Severity, _ text: String) {
        self.severity = severity
        self.text = text
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
    }

    /// The newest message.
    public var newest: Notice? { kept.last }

    /// Returns the kept messages that follow a number of messages.
    ///
    /// - Parameter count: The number of messages to leave out.
    public func suffix(after count: Int) -> ArraySlice<Notice> { kept.suffix(max(0, self.count - count)) }

    mutating func add(_ notice: Notice) {
        kept.append(notice)
        count += 1
        if kept.count > 100 { kept.removeFirst() }
    }
}
