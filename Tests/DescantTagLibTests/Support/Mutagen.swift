import DescantCore
import Foundation

/// The witness: mutagen, run as a program.
enum Mutagen {
    /// The content of files according to mutagen: names and values of fields, and a checksum of the sound.
    static func dump(_ files: [URL]) throws -> [[String: String]] {
        try run(["dump"] + files.map(\.path)).split(separator: "\n")
            .map { try JSONDecoder().decode([String: String].self, from: Data($0.utf8)) }
    }

    static func dump(_ file: URL) throws -> [String: String] { try dump([file])[0] }

    static func run(_ arguments: [String]) throws -> String {
        let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("mutagen_tool.py")
        let process = Process()
        // The system's Python, for which python3-mutagen is installed; another one may be first on the path.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [tool.path] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CoreError.ioError(
                "mutagen_tool.py failed; is python3-mutagen installed? (apt install python3-mutagen)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
