internal import Glibc
internal import Synchronization

/// The signal that has ended the work of a command. The program dies of it, after an orderly end: a shell goes on with its loop behind any
/// exit status.
enum Interruption {
    /// Its number; 0 while none has come.
    private static let number = Atomic<Int32>(0)

    /// Remembers a signal.
    static func note(_ signal: Int32) { number.store(signal, ordering: .releasing) }

    /// Dies of the signal; returns when none has come.
    static func dieOfSignal() {
        let received = number.load(ordering: .acquiring)
        guard received != 0 else { return }
        fflush(nil)
        signal(received, SIG_DFL)
        var unblocked = sigset_t()
        sigemptyset(&unblocked)
        sigaddset(&unblocked, received)
        pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
        raise(received)
    }
}
