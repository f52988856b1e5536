public import Foundation

/// A command to a player at a time of the output's timeline.
public struct TimelineStep: Sendable, Hashable {
    /// The time in seconds of the output; 0 or more.
    public var at: TimeInterval
    /// The command.
    public var command: TimelineCommand

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - at: The time in seconds of the output.
    ///   - command: The command.
    public init(at: TimeInterval, _ command: TimelineCommand) {
        self.at = at
        self.command = command
    }

    /// Reads `AT=COMMAND`, such as `2.5=next` or `10=seek:30`.
    ///
    /// - Parameter text: The seconds, an equals sign and a command as ``TimelineCommand/init(parsing:)`` reads it.
    /// - Throws: ``InputError`` that names the text and what was expected.
    public init(parsing text: String) throws {
        guard let sign = text.firstIndex(of: "="), let at = Double(text[..<sign]), at >= 0, at.isFinite else {
            throw InputError(description: "\"\(text)\": expected SECONDS=COMMAND, such as 2.5=next or 10=seek:30")
        }
        self.init(at: at, try TimelineCommand(parsing: String(text[text.index(after: sign)...])))
    }
}

extension Sequence<TimelineStep> {
    /// Sorts steps by time; steps at the same time keep their order.
    func inTime() -> [TimelineStep] {
        enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }
}
