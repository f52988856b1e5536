internal import Foundation
internal import Glibc

/// Runs a peer as a separate process.
struct ChildProcess {
    let process = Process()
    private let output = Pipe()

    /// Begins to run.
    ///
    /// - Parameter environment: Variables beside those of this program.
    init(_ program: URL, _ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = program
        process.arguments = arguments
        if !environment.isEmpty {
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Waits for the end.
    ///
    /// - Returns: What it printed, and the figures in key=value words of it.
    func finish() throws -> (text: String, figures: [String: Double]) {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        guard process.terminationStatus == 0 else {
            let name = process.executableURL?.lastPathComponent ?? "a peer"
            throw BenchError.failed("\(name) ended with status \(process.terminationStatus)")
        }
        var figures: [String: Double] = [:]
        for word in text.split(whereSeparator: \.isWhitespace) {
            let parts = word.split(separator: "=", maxSplits: 1)
            if parts.count == 2, let value = Double(parts[1]) { figures[String(parts[0])] = value }
        }
        return (text, figures)
    }

    /// Waits for the first byte that it prints, then ends it.
    func waitForFirstByte() {
        _ = try? output.fileHandleForReading.read(upToCount: 1)
        end()
    }

    /// Connects to a socket that it opens in the file system, as soon as it does.
    ///
    /// - Returns: The descriptor, which the caller closes.
    func connect(to path: String) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            bytes.copyBytes(from: Array(path.utf8.prefix(bytes.count - 1)))
        }
        let limit = BenchOutput.now + 10_000_000_000
        while BenchOutput.now < limit, process.isRunning {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let connected = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
            }
            if connected == 0 { return descriptor }
            close(descriptor)
            usleep(10_000)
        }
        throw BenchError.failed("\(process.executableURL?.lastPathComponent ?? "a peer") does not open its socket")
    }

    /// Kills it. SIGTERM does not work, because a process that was started on a dispatch thread inherits that signal
    /// blocked.
    func end() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The processor time of its threads, ended ones included, in nanoseconds.
    private var cpuNanoseconds: Int64 {
        var (clock, time) = (clockid_t(), timespec())
        guard clock_getcpuclockid(process.processIdentifier, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            return 0
        }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// What it has used so far.
    var load: ProcessLoad {
        let folder = "/proc/\(process.processIdentifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let wakeUps = threads.reduce(into: Int64(0)) { sum, thread in
            let text = (try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            sum += line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int64($0) } ?? 0
        }
        return ProcessLoad(time: BenchOutput.now, cpuNanoseconds: cpuNanoseconds, wakeUps: wakeUps)
    }

    /// Where a program is; `nil` when it is not installed.
    static func find(_ name: String) -> URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { URL(fileURLWithPath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// This program.
    static var this: URL { URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath() }
}

/// What a running process has used.
struct ProcessLoad: Sendable {
    /// When, on the monotonic clock.
    let time: Int64
    /// The processor time of its threads.
    let cpuNanoseconds: Int64
    /// How often its threads gave up the processor to wait.
    let wakeUps: Int64
}
