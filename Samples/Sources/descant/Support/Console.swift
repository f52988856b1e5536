internal import Foundation

/// Writes for people: results to standard output, everything else to standard error.
enum Console {
    /// Writes a line to standard error.
    static func write(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

    /// Writes a line of a result to standard output at once.
    static func line(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    /// Writes a failure to standard error.
    static func error(_ message: String) { write("descant: \(message)") }

    /// Writes a value as JSON to standard output.
    static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes, .sortedKeys]
        print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Writes a value as JSON in one line to standard output.
    static func jsonLine(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    static var environment: [String: String] { ProcessInfo.processInfo.environment }
}
