import Foundation

/// A command-line tool.
enum Tool {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a tool from `PATH` and waits for its end.
    ///
    /// - Returns: Its standard output.
    @discardableResult
    static func run(_ name: String, _ arguments: [String], input: Data? = nil) throws -> Data {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files rather than pipes, which would have to be read while the tool runs.
        let output = folder.appendingPathComponent("output")
        let messages = folder.appendingPathComponent("messages")
        let source = folder.appendingPathComponent("input")
        for (file, data) in [(output, Data()), (messages, Data()), (source, input ?? Data())] {
            try data.write(to: file)
        }

        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.standardInput = try FileHandle(forReadingFrom: source)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: messages)
        try process.run()
        process.waitUntilExit()
        let text = try Data(contentsOf: output)
        guard process.terminationStatus == 0 else {
            let words = String(decoding: text + (try Data(contentsOf: messages)), as: UTF8.self)
            throw Failure(description: "\(name) \(arguments.joined(separator: " ")): \(words)")
        }
        return text
    }
}
