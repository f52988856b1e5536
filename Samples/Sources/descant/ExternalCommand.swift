internal import Foundation
internal import Glibc
internal import PlayerIntegration

/// What was meant by a word that is not a command.
enum CommandSuggestion {
    /// Refuses a word that is not a command, with the command that is spelled most alike.
    ///
    /// - Parameters:
    ///   - word: The first argument; options are left to the parser.
    ///   - known: The commands.
    /// - Throws: ``CommandFailure``.
    static func check(_ word: String, known: [String]) throws {
        guard !word.hasPrefix("-") else { return }
        guard !others.contains(word) else {
            throw CommandFailure(
                .failure, "the program descant-\(word) is not installed; install it beside this program")
        }
        let nearest = (known + others).map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        let hint = nearest.flatMap { $0.1 <= max(1, word.count / 2) ? "; did you mean \($0.0)?" : nil } ?? ""
        throw CommandFailure(.usage, "there is no command \(word)\(hint) See: descant --help")
    }

    /// The commands that are programs of their own.
    private static let others = ["library", "ma"]

    /// The number of letters to insert, remove, replace or swap with their neighbour.
    private static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var rows = [Array(0...second.count)]
        for (row, letter) in first.enumerated() {
            var next = [row + 1]
            for (column, other) in second.enumerated() {
                var least = min(
                    next[column] + 1, rows[row][column + 1] + 1, rows[row][column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
                    least = min(least, rows[row - 1][column - 1] + 1)
                }
                next.append(least)
            }
            rows.append(next)
        }
        return rows[first.count][second.count]
    }
}

/// A subcommand that is a program of its own, found the way git finds its own: `descant ma` runs `descant-ma`.
struct ExternalCommand {
    /// The program.
    let path: String
    /// The arguments, with the name of the program first.
    let arguments: [String]

    /// Finds the program for a subcommand.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of this program, without its own name.
    ///   - known: The subcommands that this program has itself.
    /// - Returns: `nil` when the first argument is no such subcommand.
    init?(_ arguments: [String], known: Set<String>) {
        guard let word = arguments.first, !known.contains(word), word.first?.isLetter == true,
            word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
        else { return nil }
        guard let found = SiblingProgram.find(word, environment: Console.environment) else { return nil }
        path = found.path
        self.arguments = ["descant-\(word)"] + arguments.dropFirst()
    }

    /// Becomes the program; returns only when that fails.
    func run() -> CommandFailure {
        var texts: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        texts.append(nil)
        // The program decides by itself what a closed pipe means.
        signal(SIGPIPE, SIG_DFL)
        execv(path, texts)
        let reason = String(cString: strerror(errno))
        for text in texts { free(text) }
        return CommandFailure(.failure, "\(path) cannot be run: \(reason)")
    }
}
