internal import ArgumentParser
internal import Dispatch
internal import Foundation
internal import Synchronization
internal import TerminalUI

/// Cancels a task on Ctrl-C, SIGTERM and SIGHUP, unless they are among the ``IgnoredSignals``, so that it can clean up. The program ends in
/// any case: within a time limit after the first signal, at once after the second.
final class SignalCancellation {
    private final class Box: Sendable {
        let signal = Mutex<Int32?>(nil)
    }

    private let box = Box()
    // A call that hangs may block the main queue.
    private let queue = DispatchQueue(label: "descant.interruption", qos: .userInitiated)
    private let ending = RepeatedInterrupt()
    private let signals: [Int32]
    private var sources: [any DispatchSourceSignal] = []

    /// Begins to listen.
    ///
    /// - Parameter cancel: Called for each signal.
    init(cancel: @escaping @Sendable () -> Void) {
        signals = [SIGINT, SIGTERM, SIGHUP].filter { !IgnoredSignals.inherited.contains($0) }
        sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [box, ending] in
                ending.interrupt(number)
                box.signal.withLock { $0 = number }
                cancel()
            }
            source.activate()
            return source
        }
    }

    /// The signal that arrived; `nil` for none.
    var received: Int32? { box.signal.withLock { $0 } }

    /// Runs work until it is done or a signal cancels it.
    ///
    /// - Throws: The error of the work, or the exit status of the signal.
    static func ending<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let task = Task { try await work() }
        let interruption = SignalCancellation { task.cancel() }
        defer { interruption.end() }
        let result = await task.result
        if let signal = interruption.received { throw ExitCode(128 + signal) }
        return try result.get()
    }

    /// Stops listening.
    func end() {
        for source in sources { source.cancel() }
        for number in signals { signal(number, SIG_DFL) }
    }
}
