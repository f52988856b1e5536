/// How serious a log entry is.
public enum LogLevel: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// Details for whoever debugs the library.
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
