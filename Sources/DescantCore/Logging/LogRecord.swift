/// Something that happened, with fields that programs can read.
///
/// The guide <doc:ReadTheLog> lists the names and their fields, and a test finds each name of the sources there.
public struct LogRecord: Sendable, Hashable, CustomStringConvertible {
    /// What happened, in words separated by dots: "session.activate", "engine.play".
    public var name: String
    /// How serious it is.
    public var level: LogLevel
    /// The particulars.
    public var fields: [LogField: LogValue]

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - name: What happened, in words separated by dots.
    ///   - level: How serious it is.
    ///   - fields: The particulars.
    public init(_ name: String, level: LogLevel = .info, fields: [LogField: LogValue] = [:]) {
        self.name = name
        self.level = level
        self.fields = fields
    }

    /// "session.activate engine=espeak result=success": the name and the fields by the alphabet, personal values hidden.
    /// Values with spaces, quotes or line breaks are quoted as in Swift.
    public var description: String { text(revealing: false) }

    /// The event in one line.
    ///
    /// - Parameter personal: Whether personal values are shown.
    public func text(revealing personal: Bool) -> String {
        fields.sorted { $0.key < $1.key }.reduce(name) { line, field in
            "\(line) \(field.key)=\(Self.quoted(field.value.text(revealing: personal)))"
        }
    }

    private static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty && value.allSatisfy { !$0.isWhitespace && $0 != "\"" && $0 != "=" && $0.isPrintable }
        return isPlain ? value : value.debugDescription
    }
}

extension Character {
    /// Neither a control character nor part of a line break.
    fileprivate var isPrintable: Bool { unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } }
}

/// How serious a log entry is.
public enum LogLevel: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// Details for debugging the library.
    case debug
    /// What happened, for an operator.
    case info
    /// Something unexpected that was dealt with.
    case warning
    /// Something failed and a person may notice.
    case error

    /// From the least serious to the most serious.
    ///
    /// - Parameters:
    ///   - left: A level.
    ///   - right: Another level.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.severity < right.severity }

    private var severity: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}

/// The name of a field in a ``LogRecord``; the same everywhere, so that a log can be searched.
public struct LogField: Sendable, Hashable, Comparable, RawRepresentable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name as it is written: "routeOutputs".
    public let rawValue: String

    /// Creates a name.
    ///
    /// - Parameter rawValue: Letters and digits in camel case, beginning with a small letter. A journal writes it in
    ///   capitals with underscores: `ROUTE_OUTPUTS`.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a name.
    ///
    /// - Parameter value: The name as it is written.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name as it is written.
    public var description: String { rawValue }

    /// By the alphabet.
    ///
    /// - Parameters:
    ///   - left: A name.
    ///   - right: Another name.
    public static func < (left: LogField, right: LogField) -> Bool { left.rawValue < right.rawValue }

    /// The engine's identifier: `gstreamer`, `espeak`.
    public static let engine: LogField = "engine"
    /// What was asked for: `activate`, `deactivate`, `play`, `pause`, `stop`.
    public static let action: LogField = "action"
    /// Why it was asked for, or why it happened.
    public static let reason: LogField = "reason"
    /// How it went: `success` or `failure`.
    public static let result: LogField = "result"
    /// The role of our streams on the sound server: `music`, `a11y`.
    public static let sessionCategory: LogField = "sessionCategory"
    /// `managed` when a coordinator owns the session, `external` when the host does.
    public static let sessionMode: LogField = "sessionMode"
    /// What others may do beside us: `mixWithOthers`, `duckOthers`, separated by commas.
    public static let sessionOptions: LogField = "sessionOptions"
    /// The names of the sinks that we play to, separated by commas.
    public static let routeOutputs: LogField = "routeOutputs"
    /// The names of the sources that we record from, separated by commas.
    public static let routeInputs: LogField = "routeInputs"
    /// Whether another program is playing: `true` or `false`.
    public static let isOtherAudioPlaying: LogField = "isOtherAudioPlaying"
    /// Whether sound of lesser importance should be silent: `true` or `false`.
    public static let secondaryAudioShouldBeSilencedHint: LogField = "secondaryAudioShouldBeSilencedHint"
    /// The kind of an error: the name of the ``CoreError`` case.
    public static let errorCode: LogField = "errorCode"
    /// An error in words.
    public static let errorMessage: LogField = "errorMessage"
    /// Ties together the attempts of one start.
    public static let attemptId: LogField = "attemptId"
}

/// The value of a field in a ``LogRecord``.
public enum LogValue: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    CustomStringConvertible
{
    /// Anybody who reads the log may see it.
    case open(String)
    /// Something of the person who listens: a file's name, a text that is spoken. Loggers write it only if they are told to.
    case personal(String)

    /// An open value.
    ///
    /// - Parameter value: The text.
    public init(stringLiteral value: String) { self = .open(value) }

    /// What stands in a log that hides personal values.
    public static let redaction = "<private>"

    /// The text, or ``redaction`` for a personal value.
    public var description: String { text(revealing: false) }

    /// The text.
    ///
    /// - Parameter personal: Whether personal values are shown rather than replaced by ``redaction``.
    public func text(revealing personal: Bool) -> String {
        switch self {
        case .open(let text): text
        case .personal(let text): personal ? text : Self.redaction
        }
    }
}
