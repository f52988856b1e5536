internal import Foundation
internal import Glibc

/// The memory and processor time of a program.
struct ProcessCost {
    /// The processor time of all threads, and of helper processes that have ended, in seconds.
    let seconds: Double
    /// The run time in seconds; 0 for this program.
    let wall: Double

    /// The cost of this program so far.
    static var now: ProcessCost {
        var (own, helpers) = (rusage(), rusage())
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &own)
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &helpers)
        return ProcessCost(seconds: time(own) + time(helpers), wall: 0)
    }

    /// Runs another program to its end.
    ///
    /// - Throws: ``BenchError`` when it cannot be started or fails.
    static func of(_ program: URL, _ arguments: [String]) throws -> ProcessCost {
        let begun = BenchOutput.now
        let child = try start(program, arguments)
        var (status, usage) = (Int32(0), rusage())
        while wait4(child, &status, 0, &usage) < 0, errno == EINTR {}
        guard status == 0 else { throw BenchError.failed("\(program.lastPathComponent) ended with \(status)") }
        return ProcessCost(seconds: time(usage), wall: Double(BenchOutput.now - begun) / 1e9)
    }

    /// Runs another program to its end and polls its memory. The kernel's maximum cannot be used, because it includes the
    /// memory of this program before the child replaced it.
    ///
    /// - Returns: Its maximum resident memory in MB.
    /// - Throws: ``BenchError`` when it cannot be started or fails.
    static func memory(of program: URL, _ arguments: [String]) throws -> Double {
        let child = try start(program, arguments)
        var (status, maximum) = (Int32(0), 0.0)
        // The first samples may still show this program.
        usleep(1_000)
        while waitpid(child, &status, WNOHANG) == 0 {
            maximum = max(maximum, memory(of: child))
            usleep(500)
        }
        guard status == 0 else { throw BenchError.failed("\(program.lastPathComponent) ended with \(status)") }
        return maximum
    }

    /// The processor time of this program so far, and of helpers that run or have ended, in seconds. Running ones are counted in
    /// hundredths.
    static var withHelpers: Double {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        let helpers = processes.filter { field("PPid:", of: $0) == Double(getpid()) }
        return now.seconds + helpers.map(ticks).reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Waits until running helpers use no processor time, as while one is started ahead; 5 s at most.
    static func waitForIdleHelpers() {
        var last = withHelpers
        for _ in 0..<20 {
            usleep(250_000)
            let now = withHelpers
            if now - last < 0.015 { return }
            last = now
        }
    }

    /// User and system time of a process.
    private static func ticks(of process: pid_t) -> Double {
        let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        // The name in parentheses may contain spaces.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 12 ? (Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0) : 0
    }

    /// The maximum resident memory of this program so far plus that of its running helpers, in MB.
    static var memoryWithHelpers: Double {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        let helpers = processes.filter { field("PPid:", of: $0) == Double(getpid()) }
        return ([getpid()] + helpers).map(memory).reduce(0, +)
    }

    private static func memory(of process: pid_t) -> Double { (field("VmHWM:", of: process) ?? 0) / 1_024 }

    private static func field(_ name: String, of process: pid_t) -> Double? {
        let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
    }

    private static func start(_ program: URL, _ arguments: [String]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
        }
        var words: [UnsafeMutablePointer<CChar>?] = ([program.path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var child = pid_t()
        guard posix_spawn(&child, program.path, &actions, nil, &words, environ) == 0 else {
            throw BenchError.failed("\(program.path) cannot be started")
        }
        return child
    }

    private static func time(_ usage: rusage) -> Double {
        Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}
