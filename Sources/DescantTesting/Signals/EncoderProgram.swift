internal import Foundation
internal import Dispatch
internal import DescantCore

/// An encoder of the system, a program of the command line.
struct EncoderProgram {
    let name: String
    /// The apt package that contains it.
    let package: String

    /// Runs the tool and waits for its end.
    ///
    /// - Parameters:
    ///   - arguments: The arguments after the tool's name.
    ///   - log: The directory for its messages.
    /// - Throws: `CoreError.unsupported` when it is not installed, `CoreError.ioError` when it fails.
    func run(_ arguments: [String], log: TemporaryDirectory) throws {
        let process = Process()
        process.executableURL = try locate()
        process.arguments = arguments
        // A file rather than a pipe, which would have to be read while the tool runs.
        let messages = try log.write(Data(), to: "\(name).log")
        let handle = try FileHandle(forWritingTo: messages)
        // Foundation keeps the handles of a process behind its end.
        defer { try? handle.close() }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        do { try process.run() } catch { throw CoreError.ioError("\(name) did not start: \(error)") }
        ended.wait()
        guard process.terminationStatus == 0 else {
            let text = String(decoding: try Data(contentsOf: messages), as: UTF8.self)
            throw CoreError.ioError(
                "\(name) \(arguments.joined(separator: " ")) ended with status \(process.terminationStatus): \(text)")
        }
    }

    /// Finds the tool on `PATH`.
    ///
    /// - Throws: `CoreError.unsupported` naming the package when it is not installed.
    func locate() throws -> URL {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        for folder in path.split(separator: ":") {
            let candidate = URL(fileURLWithPath: String(folder)).appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        }
        throw CoreError.unsupported("the tool \(name) is not installed; install it with: apt install \(package)")
    }
}
