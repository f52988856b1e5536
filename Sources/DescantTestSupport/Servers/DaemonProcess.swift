internal import Foundation
internal import Glibc

/// A child process that may close all descriptors it inherits, as daemons do.
///
/// Foundation's `Process` takes the closed descriptors for the end of the child, and then waits for the real end on the
/// thread that all its processes share.
struct DaemonProcess: Sendable {
    /// The process identifier.
    let identifier: pid_t

    /// Starts a program with standard input and output at /dev/null.
    ///
    /// - Throws: `TestSupportError.failed` naming the program.
    init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
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
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
    }
}
