internal import Glibc

/// The signals that the program was started without: `nohup` ignores SIGHUP, and a shell without job control SIGINT behind `&`.
public enum IgnoredSignals {
    /// They stay ignored. Read before the program changes the effect of a signal for the first time.
    public static let inherited: Set<Int32> = Set(
        [SIGINT, SIGTERM, SIGHUP].filter { number in
            var action = sigaction()
            guard sigaction(number, nil, &action) == 0 else { return false }
            let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            return handler == unsafeBitCast(SIG_IGN, to: Int.self)
        })
}
