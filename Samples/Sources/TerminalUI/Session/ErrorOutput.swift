internal import Glibc

/// What is written to standard error while the view is shown, such as warnings of libraries. It is kept, and written to the terminal behind the
/// view.
///
/// A pipe holds up to 64 KiB of it; what comes when it is full is lost.
enum ErrorOutput {
    // Safe, all three: written by `hold` before the handlers of signals are installed, or on the thread that holds the session's lock; handlers only read.
    nonisolated(unsafe) private static var pipe: (output: Int32, input: Int32) = (-1, -1)
    /// Standard error as the program was started with it.
    nonisolated(unsafe) private static var own: Int32 = -1
    nonisolated(unsafe) private static var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// Keeps what is written from now on, where standard error is the terminal of the view.
    static func hold() {
        var (errors, view) = (stat(), stat())
        guard isatty(STDERR_FILENO) == 1, fstat(STDERR_FILENO, &errors) == 0, fstat(STDOUT_FILENO, &view) == 0,
            errors.st_rdev == view.st_rdev
        else { return }
        if own < 0 { open() }
        if own >= 0 { dup2(pipe.input, STDERR_FILENO) }
    }

    private static func open() {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { return }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            // Neither a writer nor the end of the program waits.
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
        }
        pipe = (ends[0], ends[1])
        memory = .allocate(byteCount: 4_096, alignment: 1)
        own = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    }

    /// Lets standard error be the terminal again; only async-signal-safe calls.
    static func release() { if own >= 0 { dup2(own, STDERR_FILENO) } }

    /// Writes what was kept to the terminal, or gives up when that takes nothing; only async-signal-safe calls.
    ///
    /// - Parameter milliseconds: The longest wait.
    static func show(within milliseconds: Int32) {
        guard own >= 0 else { return }
        while case let count = read(pipe.output, memory.baseAddress, memory.count), count > 0 {
            guard TerminalDescriptor.write(UnsafeRawBufferPointer(rebasing: memory[..<count]), within: milliseconds)
            else { return }
        }
    }
}
