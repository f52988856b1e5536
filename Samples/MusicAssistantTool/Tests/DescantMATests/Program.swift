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

    /// A process with arguments and a private configuration folder.
    static func process(_ words: [String], _ home: URL, _ environment: [String: String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        var variables = ["XDG_CONFIG_HOME": home.path, "HOME": home.path, "PATH": "/usr/bin:/bin"]
        variables["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
        process.environment = variables.merging(environment) { _, new in new }
        return process
    }

    /// Runs the program with a private configuration folder.
    static func run(
        _ arguments: [String], home: URL, input: String = "", environment: [String: String] = [:]
    ) async throws -> Program {
        let process = process([products.appendingPathComponent("descant-ma").path] + arguments, home, environment)
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
    /// All output up to the end, read on a separate thread.
    func allBytes() async -> Data {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: self.readDataToEndOfFile()) }.start()
        }
    }
}

/// A running program whose output is read meanwhile.
final class RunningProgram {
    let process: Process
    private(set) var output = ""
    private var pieces: AsyncStream<String>.Iterator

    /// Starts `descant-ma`, or a shell command if one is given.
    init(_ words: [String], home: URL, environment: [String: String] = [:], input: Pipe? = nil) throws {
        process = Program.process(words, home, environment)
        let pipe = Pipe()
        if let input { process.standardInput = input } else { process.standardInput = FileHandle.nullDevice }
        process.standardOutput = pipe
        let (stream, feed) = AsyncStream.makeStream(of: String.self)
        pieces = stream.makeAsyncIterator()
        try process.run()
        Thread {
            while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
                feed.yield(String(decoding: data, as: UTF8.self))
            }
            feed.finish()
        }.start()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Reads until the output since the last call contains a text. Returns that output, or nil when the program ended first.
    func read(to text: String) async -> String? {
        var read = ""
        while let piece = await pieces.next() {
            read += piece
            output += piece
            if read.contains(text) { return read }
        }
        return nil
    }
}
