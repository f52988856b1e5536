public import Foundation

/// A command that a player is given at a moment of the output's timeline.
public struct TimelineStep: Sendable, Hashable {
    /// When, in seconds of the output; not negative.
    public var at: TimeInterval
    /// What.
    public var command: TimelineCommand

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - at: When, in seconds of the output.
    ///   - command: What.
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
    /// In the order of time; steps of one moment stay in the order in which they were asked for.
    func inTime() -> [TimelineStep] {
        enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }
}
