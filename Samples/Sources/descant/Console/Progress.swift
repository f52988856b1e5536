internal import Descant
internal import Foundation
internal import PlayerIntegration
internal import Synchronization
internal import TerminalUI

/// A line on standard error that says how far work has come. It is written over itself, on a terminal only, and only for work that takes
/// more than half a second.
final class ProgressLine: Sendable {
    private struct State {
        var newest: ContinuousClock.Instant?
        var isVisible = false
    }

    private let began = ContinuousClock.now
    private let state = Mutex(State())
    private let isShown: Bool

    /// - Parameter isAmongResults: Whether results are written to standard output meanwhile. A terminal would show the line between them.
    init(isAmongResults: Bool) {
        isShown = isatty(STDERR_FILENO) == 1 && !(isAmongResults && isatty(STDOUT_FILENO) == 1)
    }

    /// Writes the line, at most ten times a second.
    ///
    /// - Parameter text: The line, from the seconds that the work has taken so far.
    func show(_ text: (_ elapsed: Double) -> String) {
        let now = ContinuousClock.now
        guard isShown, now - began > .milliseconds(500) else { return }
        let isDue = state.withLock { state in
            guard state.newest.map({ now - $0 > .milliseconds(100) }) ?? true else { return false }
            state.newest = now
            state.isVisible = true
            return true
        }
        guard isDue else { return }
        Console.note("\r\(text((now - began) / .seconds(1)))\u{1b}[K")
    }

    /// Writes how much sound was made, and how fast.
    ///
    /// - Parameters:
    ///   - seconds: The length of the sound so far.
    ///   - verb: What was done to it, such as "rendered".
    func showSound(_ seconds: Double, _ verb: String) {
        show { elapsed in
            let speed = Int(seconds / max(0.001, elapsed))
            return "\(verb) \(Timecode.text(seconds)), \(speed) times as fast as it plays"
        }
    }

    /// Clears the line, so that what is written next begins on a line of its own.
    func clear() {
        let wasVisible = state.withLock { state in
            let wasVisible = state.isVisible
            state.isVisible = false
            return wasVisible
        }
        if wasVisible { Console.note("\r\u{1b}[K") }
    }
}

extension RenderRequest {
    /// Renders, and shows how far the render has come. A signal cancels it. The progress line is cleared when this returns or throws.
    ///
    /// - Parameter environment: Which plugins and decoders there are.
    /// - Returns: What was rendered.
    /// - Throws: The errors of ``OfflineRenderer``, or the exit status of a signal.
    func renderShowingProgress(in environment: AudioEnvironment) async throws -> RenderReport {
        let progress = ProgressLine(isAmongResults: false)
        defer { progress.clear() }
        return try await SignalCancellation.ending {
            try await OfflineRenderer(environment: environment).render(self) { seconds in
                progress.showSound(seconds, "rendered")
            }
        }
    }
}
