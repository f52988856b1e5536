internal import Foundation

/// A recorded conversation that the test server can repeat.
///
/// Lines of JSON: `{"dir":"out","msg":{…}}` for what the client sent, `{"dir":"in","msg":{…}}` for what the server sent,
/// `{"dir":"out","raw":"…"}` for text that is not a command, `{"dir":"close","code":1000}`.
public struct Transcript: Sendable, Hashable {
    /// The name, such as `01-connect-auth`.
    public let name: String
    let steps: [TranscriptStep]

    /// Reads a transcript.
    ///
    /// - Parameters:
    ///   - name: The name of the transcript.
    ///   - lines: Its text.
    /// - Throws: ``TranscriptError`` with the number of the first line that is not a step.
    public init(name: String, lines: String) throws {
        self.name = name
        var steps: [TranscriptStep] = []
        var commands: [TranscriptCommand] = []
        for (number, line) in lines.split(separator: "\n").enumerated() {
            guard let json = JSON(text: String(line)), let step = Self.step(json) else {
                throw TranscriptError(name: name, line: number + 1)
            }
            steps.append(step)
            guard case .clientSends(let name, _) = step else { continue }
            commands.append(TranscriptCommand(name: name, arguments: json["msg"]?["args"]?.object ?? [:]))
        }
        self.steps = steps
        self.commands = commands
    }

    /// Reads a transcript from the resources of the test server.
    ///
    /// - Parameter name: One of ``allNames``.
    /// - Throws: ``TranscriptError``, or an error of the file system for an unknown name.
    public init(named name: String) throws {
        let url = Self.folder.appendingPathComponent(name + ".jsonl")
        try self.init(name: name, lines: String(contentsOf: url, encoding: .utf8))
    }

    /// The names of the transcripts in the resources of the test server.
    public static var allNames: [String] {
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "jsonl" }.map { $0.deletingPathExtension().lastPathComponent }
            .sorted()
    }

    private static var folder: URL { Bundle.module.bundleURL.appendingPathComponent("Transcripts") }

    /// The commands that the client sent, in order.
    public let commands: [TranscriptCommand]

    private static func step(_ line: JSON) -> TranscriptStep? {
        switch (line["dir"]?.string, line["msg"]) {
        case ("in", let message?): return .serverSends(message)
        case ("out", let message?):
            guard let id = message["message_id"], let name = message["command"]?.string else { return .clientSendsText }
            return .clientSends(name: name, messageID: id.string ?? id.text)
        case ("out", nil): return .clientSendsText
        case ("close", _): return .close(code: line["code"]?.int ?? 1000)
        default: return nil
        }
    }
}
