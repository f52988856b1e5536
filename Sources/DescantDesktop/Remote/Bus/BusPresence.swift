internal import DescantCore
internal import Foundation
internal import Synchronization

/// Keeps an object on a bus under a name, and connects again after the loss of the bus.
final class BusPresence: BusEmitter {
    private struct State {
        var connection: BusConnection?
        var attempts = 0
        var isOpening = false
        var isClosed = false
        /// Ends the closing, once the connection that was being opened is there or has failed.
        var ended: Promise<Void>?
    }

    private let thread: BusThread
    let address: String
    private let path: String
    private let wantedName: String
    private let logger: any LoggerPort
    private let cancellable = BusCancellable()
    private let names = EventHub<String?>(initial: nil)
    /// Changed on the bus's thread only.
    private let state = Mutex(State())

    /// Creates the presence; it connects in ``show(_:)``.
    init(address: String, name: String, path: String, logger: any LoggerPort) {
        self.address = address
        self.path = path
        self.logger = logger
        wantedName = name
        thread = BusThread(name: "descant-remote")
    }

    /// The owned name, `nil` while there is none; begins with the present one.
    var nameUpdates: EventStream<String?> { names.stream(buffer: .bounded(16)) }

    // MARK: Emitting

    func post(_ work: @escaping @Sendable () -> Void) { thread.post(work) }

    func post(after seconds: Double, _ work: @escaping @Sendable () -> Void) { thread.post(after: seconds, work) }

    func emit(_ signal: BusSignal) { state.withLock { $0.connection }?.emit(signal, from: path) }

    // MARK: Connecting

    /// Connects and shows an object.
    func show(_ object: any BusObject) { thread.post { [self] in connect(object) } }

    private func connect(_ object: any BusObject) {
        let isClosed = state.withLock { state in
            state.isOpening = !state.isClosed
            return state.isClosed
        }
        guard !isClosed else { return }
        BusConnection.open(address, cancellable: cancellable) { [self] result in
            let ended = state.withLock { state in
                state.isOpening = false
                return state.ended
            }
            switch (result, ended) {
            case (.success(let connection), nil): begin(connection, object)
            case (.failure(let error), nil): retry(object, error)
            case (.success(let connection), let ended?): connection.close(on: thread) { ended.resolve(()) }
            case (.failure, let ended?): ended.resolve(())
            }
        }
    }

    private func begin(_ connection: BusConnection, _ object: any BusObject) {
        connection.onClosed { [weak self] in self?.lost(object) }
        do {
            try connection.export(object, at: path)
        } catch {
            logger.error("remote control: \(error)")
            return connection.close(on: thread)
        }
        state.withLock { $0.connection = connection }
        requestName(on: connection, number: 0)
    }

    /// Requests the name, or another one while it is taken.
    private func requestName(on connection: BusConnection, number: Int) {
        let instance = "\(wantedName).instance\(ProcessInfo.processInfo.processIdentifier)"
        let name = number == 0 ? wantedName : number == 1 ? instance : "\(instance)_\(number)"
        let doNotQueue: UInt32 = 4
        connection.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string(name), .uint32(doNotQueue)]
        ) { [weak self] answer in
            switch answer {
            case .success(let values) where values.first == .uint32(1) || values.first == .uint32(4): self?.owned(name)
            case .success where number < 64: self?.requestName(on: connection, number: number + 1)
            case .success: self?.logger.warn("remote control: the name \(name) is taken")
            case .failure(let error):
                guard let self, !state.withLock({ $0.isClosed }) else { return }
                logger.info("remote control: no name on the bus: \(error.message)")
                // Another attempt follows when the connection has ended. One that is being closed already ends by itself:
                // what GLib does for a second close would come behind the end of the thread, and keep both.
                connection.close(on: thread)
            }
        }
    }

    private func owned(_ name: String) {
        state.withLock { $0.attempts = 0 }
        names.post(name)
        logger.debug("remote control: \(name)")
    }

    private func lost(_ object: any BusObject) {
        let wasClosed = state.withLock { state in
            state.connection = nil
            return state.isClosed
        }
        guard !wasClosed else { return }
        names.post(nil)
        logger.info("remote control: the bus went away")
        retry(object, nil)
    }

    /// Connects again after 0.1 s; the pause doubles with every attempt, up to 5 s.
    private func retry(_ object: any BusObject, _ error: CoreError?) {
        let attempts = state.withLock { state in
            state.attempts += 1
            return state.attempts
        }
        if attempts == 1, let error { logger.info("remote control: no session bus at \(address): \(error)") }
        let pause = min(5, 0.1 * pow(2, Double(min(attempts, 10) - 1)))
        thread.post(after: pause) { [weak self] in self?.connect(object) }
    }

    // MARK: Closing

    /// Leaves the bus. Takes up to 1 s. Call it once.
    func close() async {
        await withCheckedContinuation { continuation in
            let ended = Promise<Void> { [thread] in
                thread.stop()
                continuation.resume()
            }
            thread.post { [self] in
                cancellable.cancel()
                let (connection, isOpening) = state.withLock { state in
                    state.isClosed = true
                    // A connection that is being opened is delivered on this thread. It would never be released after the thread's end.
                    state.ended = state.isOpening ? ended : nil
                    defer { state.connection = nil }
                    return (state.connection, state.isOpening)
                }
                names.finish()
                if let connection {
                    connection.close(on: thread) { ended.resolve(()) }
                } else if isOpening {
                    // GLib may look for a bus that hangs.
                    thread.post(after: 1) { ended.resolve(()) }
                } else {
                    ended.resolve(())
                }
            }
        }
    }
}
