internal import Descant
internal import Foundation
internal import Synchronization
internal import TerminalUI

/// Shows on standard error how far a render has come, when that is a terminal and the render takes long.
final class RenderProgress: Sendable {
    private let began = ContinuousClock.now
    private let newest = Mutex<ContinuousClock.Instant?>(nil)
    private let isShown: Bool

    init(isWanted: Bool) { isShown = isWanted && isatty(STDERR_FILENO) == 1 }

    func report(seconds: Double) {
        let now = ContinuousClock.now
        guard isShown, now - began > .milliseconds(500) else { return }
        let isDue = newest.withLock { newest in
            guard newest.map({ now - $0 > .milliseconds(100) }) ?? true else { return false }
            newest = now
            return true
        }
        guard isDue else { return }
        let speed = seconds / max(0.001, (now - began) / .seconds(1))
        let text = "\rrendered \(Timecode.text(seconds)), \(Int(speed)) times as fast as it plays\u{1b}[K"
        Console.note(text)
    }

    func finish() {
        guard newest.withLock({ $0 }) != nil else { return }
        Console.note("\r\u{1b}[K")
    }
}

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
