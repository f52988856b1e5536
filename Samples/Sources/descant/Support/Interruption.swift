internal import ArgumentParser
internal import Dispatch
internal import Foundation
internal import Synchronization
internal import TerminalUI

/// Cancels a task on Ctrl-C and SIGTERM, so that what it holds is put away. The program ends in any case: in time after the first
/// signal, at once after the second.
final class Interruption {
    private final class Box: Sendable {
        let signal = Mutex<Int32?>(nil)
    }

    private let box = Box()
    // A call that hangs may block the main queue.
    private let queue = DispatchQueue(label: "descant.interruption", qos: .userInitiated)
    private let ending = RepeatedInterrupt()
    private var sources: [any DispatchSourceSignal] = []

    /// Begins to listen.
    ///
    /// - Parameter cancel: Called for each signal.
    init(cancel: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
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

    /// The signal that came; `nil` when none did.
    var received: Int32? { box.signal.withLock { $0 } }

    /// Works until it is done, or until a signal cancels it.
    ///
    /// - Throws: What the work throws, or the exit status of the signal.
    static func ending<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let task = Task { try await work() }
        let interruption = Interruption { task.cancel() }
        defer { interruption.end() }
        let result = await task.result
        if let signal = interruption.received { throw ExitCode(128 + signal) }
        return try result.get()
    }

    /// Listens no more.
    func end() {
        for source in sources { source.cancel() }
    }
}
