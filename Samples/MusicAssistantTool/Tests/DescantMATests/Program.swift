import Foundation

/// A finished run of `descant-ma`.
struct Program {
    let status: Int32
    let output: String
    let errors: String

    /// The folder of the built programs: the one that the tests were built into.
    static var products: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// Runs the program with a configuration folder of its own.
    static func run(
        _ arguments: [String], home: URL, input: String = "", environment: [String: String] = [:]
    ) async throws -> Program {
        let process = Process()
        process.executableURL = products.appendingPathComponent("descant-ma")
        process.arguments = arguments
        var variables = ["XDG_CONFIG_HOME": home.path, "HOME": home.path, "PATH": "/usr/bin:/bin"]
        variables["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
        process.environment = variables.merging(environment) { _, new in new }
        let (stdin, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        async let outputData = output.fileHandleForReading.allBytes()
        async let errorData = errors.fileHandleForReading.allBytes()
        let texts = (
            String(decoding: await outputData, as: UTF8.self), String(decoding: await errorData, as: UTF8.self)
        )
        process.waitUntilExit()
        return Program(status: process.terminationStatus, output: texts.0, errors: texts.1)
    }
}

extension FileHandle {
    /// Everything up to the end, read on a thread of its own.
    func allBytes() async -> Data {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: self.readDataToEndOfFile()) }.start()
        }
    }
}
