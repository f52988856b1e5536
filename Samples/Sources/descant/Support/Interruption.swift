internal import Dispatch
internal import Foundation
internal import Synchronization

/// Cancels a task on Ctrl-C and SIGTERM, so that what it holds is put away.
final class Interruption {
    private final class Box: Sendable {
        let signal = Mutex<Int32?>(nil)
    }

    private let box = Box()
    private var sources: [any DispatchSourceSignal] = []

    /// Begins to listen.
    ///
    /// - Parameter cancel: Called for each signal.
    init(cancel: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { [box] in
                box.signal.withLock { $0 = number }
                cancel()
            }
            source.activate()
            return source
        }
    }

    /// The signal that came; `nil` when none did.
    var received: Int32? { box.signal.withLock { $0 } }

    /// Listens no more.
    func end() {
        for source in sources { source.cancel() }
    }
}
