internal import Foundation

/// Paths as people write them, with `~` for their home. Foundation's functions do not ask `HOME` for it, as shells do.
enum HomePath {
    private static var home: String? {
        ProcessInfo.processInfo.environment["HOME"].flatMap { $0.hasPrefix("/") && $0 != "/" ? $0 : nil }
    }

    /// The path without `~`.
    static func expand(_ path: String) -> String {
        guard let home, path == "~" || path.hasPrefix("~/") else { return (path as NSString).expandingTildeInPath }
        return home + path.dropFirst()
    }

    /// The path with `~` for the home.
    static func abbreviate(_ path: String) -> String {
        guard let home, path == home || path.hasPrefix(home + "/") else { return path }
        return "~" + path.dropFirst(home.count)
    }
}
