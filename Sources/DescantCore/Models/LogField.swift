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
