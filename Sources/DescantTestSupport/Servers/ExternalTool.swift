internal import Foundation

/// A command-line tool of the system.
struct ExternalTool {
    let name: String
    /// The apt package that contains it.
    let package: String

    /// Runs the tool and waits for its end.
    ///
    /// - Parameters:
    ///   - arguments: The arguments after the tool's name.
    ///   - log: The directory for its messages.
    /// - Throws: `TestSupportError.notInstalled` when it is not installed, `TestSupportError.failed` when it fails.
    func run(_ arguments: [String], log: ServerFolder) throws {
        // The answers are parsed, and pactl writes the numbers of its JSON in the user's language.
        let environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C.UTF-8"]) { $1 }
        // A file rather than a pipe, which would have to be read while the tool runs.
        let messages = log.file("\(name).log")
        let status = try SpawnedProcess(
            locate().path, arguments, environment: environment, output: messages.path
        ).wait()
        guard status == 0 else {
            let text = String(decoding: try Data(contentsOf: messages), as: UTF8.self)
            throw TestSupportError.failed(
                "\(name) \(arguments.joined(separator: " ")) ended with status \(status): \(text)")
        }
    }

    /// Finds the tool on `PATH`.
    ///
    /// - Throws: `TestSupportError.notInstalled` naming the package when it is not installed.
    func locate() throws -> URL {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        for folder in path.split(separator: ":") {
            let candidate = URL(fileURLWithPath: String(folder)).appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        }
        throw TestSupportError.notInstalled(
            "the tool \(name) is not installed; install it with: apt install \(package)")
    }
}
