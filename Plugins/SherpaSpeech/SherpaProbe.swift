internal import Dispatch
internal import Descant
internal import Foundation

/// Tries models in a process of their own, before they come into the host's: sherpa-onnx ends the process of a damaged one.
struct SherpaProbe: Sendable {
    /// The program in the bundle.
    static let fileName = "descant-sherpa-probe"
    /// How long a model may take to load, in seconds.
    private static let patience = 120.0
    /// Shared queues may have no thread left when a limit has passed.
    private static let limits = DispatchQueue(label: "descant.speech.sherpa.limits")

    let program: URL
    let library: String

    /// What a model is.
    struct Finding: Sendable {
        let sampleRate: Int
        let speakers: Int
    }

    /// Tries a model with some texts: a file that goes with another model may fail at the first sign that it has and this one
    /// has not. Blocks while it loads.
    ///
    /// - Throws: `CoreError.decodeError` for a model that cannot be used.
    func examine(_ model: SherpaModel, texts: [String]) throws -> Finding {
        let process = Process()
        process.executableURL = program
        let lexicons = model.lexicons.joined(separator: ",")
        let files = [model.model, model.tokens, lexicons, model.voices ?? "-", model.vocoder ?? "-"]
        process.arguments = [library, "\(model.kind.rawValue)"] + files + texts
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        // sherpa-onnx says why it ends the process, and then does: the last line is the answer either way.
        process.standardError = output
        do {
            try process.run()
        } catch {
            throw CoreError.ioError("sherpa: \(program.path) cannot be started: \(error.localizedDescription)")
        }
        let watch = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
        Self.limits.asyncAfter(deadline: .now() + Self.patience, execute: watch)
        let text = String(decoding: (try? output.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        watch.cancel()
        let answer = text.split(whereSeparator: \.isNewline).last ?? "it says nothing"
        let fields = answer.split(separator: "\t", omittingEmptySubsequences: false)
        guard process.terminationReason == .exit, process.terminationStatus == 0, fields.count == 2,
            let sampleRate = Int(fields[0]), let speakers = Int(fields[1]), sampleRate > 0
        else {
            let ended = process.terminationReason == .uncaughtSignal
            let reason = ended ? "it ends the process that loads it (signal \(process.terminationStatus)): " : ""
            throw CoreError.decodeError("sherpa: the model \(model.model) cannot be used: \(reason)\(answer)")
        }
        return Finding(sampleRate: sampleRate, speakers: max(1, speakers))
    }
}
