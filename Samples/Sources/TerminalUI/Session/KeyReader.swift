internal import Dispatch
internal import Glibc
internal import Synchronization

/// Reads the keys of the terminal while the process is in its foreground; the shell's keys are left to the shell.
final class KeyReader {
    private let stream: SessionEventStream
    /// Standard input, which other programs may share and need to wait; a test has another one.
    private let input: Int32
    /// The input opened again, for reads that do not wait; -1 for the terminal of another user, as after `su`.
    private let own: Int32
    private let source: any DispatchSourceRead
    /// Fires when the rest of a key did not come in time.
    private let limit: any DispatchSourceTimer
    private let isReading = Atomic(true)
    /// Whether the terminal was asked since the last read.
    private let wasAsked = Atomic(false)
    // Used on the queue only.
    private var parser = KeyParser()
    private var answerLimit = DispatchTime.now()

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - queue: A serial queue, on which everything happens.
    ///   - stream: Takes the keys.
    ///   - input: The terminal's descriptor.
    init(queue: DispatchQueue, stream: SessionEventStream, input: Int32 = STDIN_FILENO) {
        self.stream = stream
        self.input = input
        own = open("/proc/self/fd/\(input)", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        source = DispatchSource.makeReadSource(fileDescriptor: input, queue: queue)
        limit = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler { [weak self] in self?.read() }
        limit.setEventHandler { [weak self] in
            guard let self else { return }
            post(parser.flush())
        }
        limit.schedule(deadline: .distantFuture)
        source.resume()
        limit.resume()
    }

    deinit { if own >= 0 { close(own) } }

    /// Reads again when the shell has given the terminal back. Called on the queue.
    func followForeground() {
        guard !isReading.load(ordering: .acquiring), TerminalSession.isInForeground else { return }
        resume()
    }

    /// Expects answers of the terminal; any thread. Called before the terminal is asked.
    func expectAnswers() { wasAsked.store(true, ordering: .releasing) }

    /// Ends the reading; any thread.
    func stop() {
        source.cancel()
        limit.cancel()
        // A suspended source cannot be released.
        resume()
    }

    private func resume() {
        if !isReading.exchange(true, ordering: .acquiringAndReleasing) { source.resume() }
    }

    /// Reads the keys that are there, on the queue. There may be none: the shell may have read them, such as those of `fg`, before it gave the
    /// terminal to this process. A read that waited would keep ticks and signals away until the next key.
    func read() {
        // Input that is not read stays readable: without the pause the handler would be called without end. What is typed behind the view
        // belongs to the shell, also while this process is still ending.
        guard TerminalSession.isInForeground, EmergencyRestore.hasLeft == 0 else { return pause() }
        var watched = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        guard own >= 0 || poll(&watched, 1, 0) > 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(own >= 0 ? own : input, &bytes, bytes.count)
        if count > 0 {
            followExpectation()
            post(parser.keys(in: bytes[..<count]))
            let deadline = DispatchTime.now() + .milliseconds(parser.patience)
            limit.schedule(deadline: parser.isWaiting ? deadline : .distantFuture)
        } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
            guard TerminalSession.isInForeground else { return pause() }
            // A closed input stays readable, too.
            source.cancel()
            stream.post(.inputClosed)
        }
    }

    /// A terminal that has not answered after 10 s of keys will not.
    private func followExpectation() {
        if wasAsked.exchange(false, ordering: .acquiringAndReleasing) {
            parser.expectsAnswers = true
            answerLimit = .now() + .seconds(10)
        } else if DispatchTime.now() > answerLimit {
            parser.expectsAnswers = false
        }
    }

    private func pause() {
        isReading.store(false, ordering: .releasing)
        source.suspend()
    }

    private func post(_ keys: [Key]) { for key in keys { stream.post(.key(key)) } }
}
