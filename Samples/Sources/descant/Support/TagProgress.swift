internal import Descant
internal import Foundation
internal import TerminalUI

/// Shows on standard error how far reading a folder has come, when that is a terminal, standard output is none, and it takes long.
struct TagProgress {
    private let began = ContinuousClock.now
    private let isShown: Bool

    init(isWanted: Bool) { isShown = isWanted && isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 0 }

    func report(_ progress: TagReadingProgress) {
        guard isShown, progress.filesRead % 100 == 0, ContinuousClock.now - began > .milliseconds(500) else { return }
        let of = progress.fraction.map { " (\(Int($0 * 100)) %)" } ?? ""
        let text = "\rread \(progress.filesRead) of \(progress.filesFound) files\(of)\u{1b}[K"
        Console.note(text)
    }

    func finish() {
        if isShown { Console.note("\r\u{1b}[K") }
    }
}
