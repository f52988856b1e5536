internal import Foundation
internal import Glibc

/// A child process that inherits no descriptors.
///
/// Foundation's `Process` takes the descriptors that a daemon closes for its end, and then waits for the real end on the
/// thread that all its processes share. It also keeps each ended process in memory, with the whole environment.
struct SpawnedProcess: Sendable {
    /// The process identifier.
    let identifier: pid_t

    /// Starts a program that reads nothing.
    ///
    /// - Parameter output: The path of the file that gets what the program prints, errors too.
    /// - Throws: `TestSupportError.failed` naming the program.
    init(
        _ path: String, _ arguments: [String], environment: [String: String], output: String = "/dev/null"
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // Foundation detects the end of a child by a descriptor. A daemon that inherits the descriptor of another child
        // would hide the end of that child until the daemon ends.
        try Self.closeDescriptors(from: 3, &actions)
        let argv = ([path] + arguments).map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var identifier = pid_t()
        let status = posix_spawn(&identifier, path, &actions, nil, argv, envp)
        guard status == 0 else {
            throw TestSupportError.failed("\(path) did not start: \(String(cString: strerror(status)))")
        }
        self.identifier = identifier
    }

    /// Calls `posix_spawn_file_actions_addclosefrom_np`, which the Glibc module does not declare.
    private static func closeDescriptors(from first: Int32, _ actions: inout posix_spawn_file_actions_t) throws {
        typealias Function = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        guard let address = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else {
            throw TestSupportError.failed("glibc 2.34 or newer is needed")
        }
        _ = unsafeBitCast(address, to: Function.self)(&actions, first)
    }

    /// Whether the process still runs.
    var isRunning: Bool {
        var information = siginfo_t()
        let found = waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT)
        return found == 0 && information.si_signo == 0
    }

    func signal(_ number: Int32) { _ = kill(identifier, number) }

    /// Kills the process and waits for its end; call it once.
    func end() {
        signal(SIGKILL)
        wait()
    }

    /// Waits for the end of the process; call it once.
    ///
    /// - Returns: 0 for success, else the exit status, or the number of the signal that ended it plus 128, as in a shell.
    @discardableResult
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 : 128 + signal
    }
}
