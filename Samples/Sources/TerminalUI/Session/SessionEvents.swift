internal import Dispatch
internal import Glibc

/// Keys, signals and ticks as one stream.
public final class SessionEvents {
    /// The events in their order, for one reader.
    public let stream = SessionEventStream()

    private let queue = DispatchQueue(label: "descant.terminal")
    private let ending = RepeatedInterrupt()
    private var sources: [any DispatchSourceProtocol] = []

    /// Begins to listen.
    ///
    /// SIGINT, SIGTERM and SIGHUP, and SIGTSTP with keys, are taken over from now on and arrive as events. The first of those that
    /// ask the program to end gives it ``ForcedExit/patience`` to do so; the second ends it at once.
    ///
    /// - Parameters:
    ///   - readsKeys: Whether standard input is read.
    ///   - ticksPerSecond: How often ``SessionEvent/tick`` comes; 1…60.
    public init(readsKeys: Bool, ticksPerSecond: Int) {
        for number in [SIGINT, SIGTERM, SIGHUP] { listen(to: number, event: .interrupted(number)) }
        if readsKeys {
            listen(to: SIGWINCH, event: .resized)
            listen(to: SIGCONT, event: .resized)
            listen(to: SIGTSTP, event: .suspended)
            readKeys()
        }
        startTicks(perSecond: max(1, min(60, ticksPerSecond)))
    }

    deinit { stop() }

    /// Stops listening; signals have their usual effect again.
    public func stop() {
        for source in sources { source.cancel() }
        guard !sources.isEmpty else { return }
        sources = []
        for number in [SIGINT, SIGTERM, SIGHUP, SIGTSTP] { signal(number, SIG_DFL) }
        stream.finish()
    }

    private func startTicks(perSecond rate: Int) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let interval = 1000 / rate
        timer.schedule(deadline: .now(), repeating: .milliseconds(interval), leeway: .milliseconds(interval / 4))
        timer.setEventHandler { [stream] in stream.post(.tick) }
        timer.resume()
        sources.append(timer)
    }

    private func listen(to number: Int32, event: SessionEvent) {
        // A dispatch source only watches: without this the signal would still end or stop the process.
        if number != SIGWINCH, number != SIGCONT { signal(number, SIG_IGN) }
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { [stream, ending] in
            if case .interrupted = event { ending.interrupt(number) }
            stream.post(event)
        }
        source.resume()
        sources.append(source)
    }

    private func readKeys() {
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        var parser = KeyParser()
        source.setEventHandler { [stream] in
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count > 0 {
                for key in parser.keys(in: bytes[..<count]) { stream.post(.key(key)) }
            } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
                // A closed input stays readable for ever; the source would be called without end.
                source.cancel()
                stream.post(.inputClosed)
            }
        }
        source.resume()
        sources.append(source)
    }
}
