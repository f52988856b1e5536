internal import Dispatch
internal import Descant
internal import Foundation

/// Tests models in a separate process before they are loaded into the host, because sherpa-onnx ends the process when a
/// model is damaged.
struct SherpaProbe: Sendable {
    /// The program in the bundle.
    static let fileName = "descant-sherpa-probe"
    /// The time limit for loading a model, in seconds.
    private static let patience = 120.0
    /// A dedicated queue for the time limit, because shared queues may have no free thread.
    private static let limits = DispatchQueue(label: "descant.speech.sherpa.limits")

    let program: URL
    let library: String

    /// What a model is.
    struct Finding: Sendable {
        let sampleRate: Int
        let speakers: Int
    }

    /// Tests a model with some texts, because a file of another model may fail only at a token that the model does not have.
    /// Blocks while the model loads.
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
        // sherpa-onnx prints the reason before it ends the process, so the last line is the answer in both cases.
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
