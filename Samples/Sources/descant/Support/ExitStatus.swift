/// How the program ends, as its help says.
enum ExitStatus: Int32 {
    case success = 0
    case failure = 1
    case usage = 2
    /// No input can be opened; EX_NOINPUT of sysexits.h.
    case noInput = 66
    /// The result cannot be written; EX_IOERR of sysexits.h.
    case output = 74
}
