internal import Glibc

/// The signals that were ignored when the program was started: `nohup` ignores SIGHUP, and a script SIGINT for what it starts with `&`.
public enum IgnoredSignals {
    /// They stay ignored. To be read before the program changes the effect of a signal for the first time.
    public static let inherited: Set<Int32> = Set(
        [SIGINT, SIGTERM, SIGHUP].filter { number in
            var action = sigaction()
            guard sigaction(number, nil, &action) == 0 else { return false }
            let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            return handler == unsafeBitCast(SIG_IGN, to: Int.self)
        })
}
