internal import Foundation
internal import Glibc

/// A resident mpv behind its JSON socket.
final class MPVControl {
    private let child: ChildProcess
    private let socketPath: String
    private var descriptor: Int32 = -1
    private var pending = Data()
    private var lastRequest = 1

    init(_ program: URL, folder: URL, options: [String] = []) throws {
        socketPath = folder.appendingPathComponent("mpv.\(UUID().uuidString.prefix(8))").path
        child = try ChildProcess(
            program,
            ["--no-config", "--idle", "--vid=no", "--really-quiet", "--ao=null", "--input-ipc-server=\(socketPath)"]
                + options)
        descriptor = try child.connect(to: socketPath)
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
        child.end()
        unlink(socketPath)
    }

    /// Sends a command and waits for an event.
    ///
    /// - Returns: Milliseconds between both.
    func time(_ command: [String], until event: String) throws -> Double {
        let called = BenchOutput.now
        try send(command)
        try wait(for: event)
        return Double(BenchOutput.now - called) / 1e6
    }

    /// Sends a command and waits for the answer.
    ///
    /// - Returns: Microseconds between both.
    func reply(_ command: [String]) throws -> Double {
        lastRequest += 1
        let request = lastRequest
        let called = BenchOutput.now
        try send(command, request: request)
        try wait(for: "the answer to \(command[0])") { $0["request_id"] as? Int == request }
        return Double(BenchOutput.now - called) / 1e3
    }

    /// The memory of mpv.
    var residentBytes: Int {
        let text =
            (try? String(contentsOfFile: "/proc/\(child.process.processIdentifier)/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private func send(_ command: [String], request: Int = 0) throws {
        let message: [String: Any] = ["command": command, "request_id": request]
        var data = try JSONSerialization.data(withJSONObject: message)
        data.append(UInt8(ascii: "\n"))
        let written = data.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written == data.count else { throw BenchError.failed("mpv does not take commands") }
    }

    private func wait(for event: String) throws {
        try wait(for: event) { $0["event"] as? String == event }
    }

    private func wait(for what: String, _ isIt: ([String: Any]) -> Bool) throws {
        let limit = BenchOutput.now + 10_000_000_000
        while BenchOutput.now < limit {
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = pending[pending.startIndex..<end]
                pending = Data(pending[(end + 1)...])
                let message = try? JSONSerialization.jsonObject(with: line) as? [String: Any]
                if let message, isIt(message) { return }
            }
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, 1000) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { break }
            pending.append(contentsOf: bytes[..<count])
        }
        throw BenchError.failed("mpv does not report \(what)")
    }
}
