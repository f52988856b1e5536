internal import Foundation
internal import Glibc

/// A subcommand that is a separate program, as with git: `descant ma` runs `descant-ma`.
struct ExternalCommand {
    /// The program.
    let path: String
    /// The arguments, with the name of the program first.
    let arguments: [String]

    /// Finds the program for a subcommand: beside this one, in `../libexec/descant` from there, then on the PATH.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of this program, without its own name.
    ///   - known: The subcommands of this program.
    /// - Returns: `nil` when the first argument is not an external subcommand.
    init?(_ arguments: [String], known: Set<String>) {
        guard let word = arguments.first, !known.contains(word), word.first?.isLetter == true,
            word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
        else { return nil }
        let found = Self.folders.map { $0.appendingPathComponent("descant-\(word)").path }
            .first { access($0, X_OK) == 0 }
        guard let found else { return nil }
        path = found
        self.arguments = ["descant-\(word)"] + arguments.dropFirst()
    }

    private static var folders: [URL] {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let paths = (Console.environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        return [own, own.deletingLastPathComponent().appendingPathComponent("libexec/descant")]
            + paths.map { URL(fileURLWithPath: String($0)) }
    }

    /// Replaces this process by the program; returns only when that fails.
    func run() -> CommandFailure {
        var texts: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        texts.append(nil)
        execv(path, texts)
        let reason = String(cString: strerror(errno))
        for text in texts { free(text) }
        return CommandFailure(.failure, "\(path) cannot be run: \(reason)")
    }
}
