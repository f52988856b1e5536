internal import Dispatch
internal import Glibc
internal import Synchronization

/// Keys, signals and ticks as one stream.
public final class SessionEvents {
    /// The events in their order, for one reader.
    public let stream = SessionEventStream()

    private let queue = DispatchQueue(label: "descant.terminal")
    private let ending = RepeatedInterrupt()
    private let ownStop = OwnStop()
    private var sources: [any DispatchSourceProtocol] = []
    private var keys: KeyReader?

    /// Begins to listen.
    ///
    /// SIGINT, SIGTERM and SIGHUP, unless they are among the ``IgnoredSignals``, and SIGTSTP with keys, are taken over from now on and
    /// arrive as events. The first of those that ask the program to end gives it ``ForcedExit/patience`` to do so; the second ends it at
    /// once.
    ///
    /// - Parameters:
    ///   - readsKeys: Whether standard input is read, while the process is in the terminal's foreground.
    ///   - ticksPerSecond: How often ``SessionEvent/tick`` comes; 1…60.
    public init(readsKeys: Bool, ticksPerSecond: Int) {
        for number in Self.endings { listen(to: number, event: .interrupted(number)) }
        if readsKeys {
            listen(to: SIGWINCH, event: .resized)
            listen(to: SIGCONT, event: .resized)
            listen(to: SIGTSTP, event: .suspended)
            // The shell may take the terminal between a check and the call that follows it; that call must not stop the process.
            for number in [SIGTTIN, SIGTTOU] { signal(number, SIG_IGN) }
            keys = KeyReader(queue: queue, stream: stream)
        }
        startTicks(perSecond: max(1, min(60, ticksPerSecond)))
    }

    deinit { stop() }

    /// The signals that ask the program to end.
    private static var endings: [Int32] {
        [SIGINT, SIGTERM, SIGHUP].filter { !IgnoredSignals.inherited.contains($0) }
    }

    /// Expects answers of the terminal among the keys; called before the terminal is asked.
    func expectAnswers() { keys?.expectAnswers() }

    /// Stops the processes of the group until SIGCONT, this one among them, as Ctrl-Z does where it is a signal: a
    /// shell that waits for `make` or a script takes the terminal back when that process stops.
    ///
    /// Returns at once where the kernel stops none of them, because no shell could continue them.
    func stopGroup() {
        ownStop.begin()
        var (stops, mask) = (sigset_t(), sigset_t())
        sigemptyset(&stops)
        sigaddset(&stops, SIGTSTP)
        pthread_sigmask(SIG_BLOCK, &stops, &mask)
        signal(SIGTSTP, SIG_DFL)
        // To this thread: a signal to the process may reach it later, and the view would be shown once more meanwhile.
        // It waits here while the others stop, because the shell may continue the group at once: SIGCONT takes it back.
        raise(SIGTSTP)
        kill(0, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &stops, nil)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        signal(SIGTSTP, SIG_IGN)
    }

    /// Stops listening; signals have their usual effect again.
    public func stop() {
        for source in sources { source.cancel() }
        guard !sources.isEmpty else { return }
        sources = []
        keys?.stop()
        for number in Self.endings + [SIGTSTP, SIGTTIN, SIGTTOU] { signal(number, SIG_DFL) }
        stream.finish()
    }

    private func startTicks(perSecond rate: Int) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let interval = 1000 / rate
        timer.schedule(deadline: .now(), repeating: .milliseconds(interval), leeway: .milliseconds(interval / 4))
        timer.setEventHandler { [stream, keys] in
            keys?.followForeground()
            stream.post(.tick)
        }
        timer.resume()
        sources.append(timer)
    }

    private func listen(to number: Int32, event: SessionEvent) {
        // A dispatch source only watches: without this the signal would still end or stop the process.
        if number != SIGWINCH, number != SIGCONT { signal(number, SIG_IGN) }
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { [stream, ending, ownStop] in
            if case .interrupted = event { ending.interrupt(number) }
            if number == SIGCONT { ownStop.end() }
            if number == SIGTSTP, ownStop.isUnderWay { return }
            stream.post(event)
        }
        source.resume()
        sources.append(source)
    }
}

/// Whether the process has stopped itself and has not been continued: its own signal asks for no further stop.
private final class OwnStop: Sendable {
    private let value = Atomic(false)

    var isUnderWay: Bool { value.load(ordering: .acquiring) }

    func begin() { value.store(true, ordering: .releasing) }

    func end() { value.store(false, ordering: .releasing) }
}
