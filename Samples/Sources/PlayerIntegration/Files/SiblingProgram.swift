public import Foundation
internal import Glibc

/// The programs that belong to this one, such as `descant-library`.
public enum SiblingProgram {
    /// Finds a program: beside this one, in `../libexec/descant` from there, then on the PATH.
    ///
    /// - Parameters:
    ///   - word: What stands behind `descant-` in its name.
    ///   - environment: The variables of the process.
    /// - Returns: `nil` when it is not installed.
    public static func find(
        _ word: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> URL? {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let paths = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        let folders =
            [own, own.deletingLastPathComponent().appendingPathComponent("libexec/descant")]
            + paths.map { URL(fileURLWithPath: String($0)) }
        return folders.map { $0.appendingPathComponent("descant-\(word)") }.first { access($0.path, X_OK) == 0 }
    }
}
