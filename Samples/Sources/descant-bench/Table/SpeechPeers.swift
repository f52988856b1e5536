internal import Foundation

/// The measures of speech, beside the command-line programs of the same engines.
struct SpeechPeers {
    let corpus: BenchCorpus

    var measures: [Measure] { ["espeak", "flite"].flatMap { [first($0), factor($0)] } }

    private func first(_ engine: String) -> Measure {
        var peers = [
            own(engine, "warm_ms", name: TableBench.ownName),
            own(engine, "cold_ms", name: "Descant, first in a process"),
        ]
        if let program = program(engine) {
            peers.append(
                .init(name: program.lastPathComponent) {
                    // From the start of the program: it speaks one text and ends.
                    let start = ContinuousClock.now
                    try ChildProcess(program, arguments(engine, SpeechBench.sentence)).waitForFirstByte()
                    return (ContinuousClock.now - start) / .milliseconds(1)
                })
        }
        return Measure(
            title: "\(engine): ten words to first sample", unit: "ms", isLessBetter: true, peers: peers, demand: nil)
    }

    private func factor(_ engine: String) -> Measure {
        var peers = [own(engine, "rtf", name: TableBench.ownName)]
        if let program = program(engine) {
            peers.append(
                .init(name: program.lastPathComponent) {
                    let file = corpus.folder.appendingPathComponent("\(engine).wav")
                    let start = ContinuousClock.now
                    _ = try ChildProcess(program, arguments(engine, SpeechBench.chapter, file: file)).finish()
                    let time = (ContinuousClock.now - start) / .seconds(1)
                    let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
                    return time / (Double(size - 44) / 2 / (engine == "espeak" ? 22_050 : 16_000))
                })
        }
        return Measure(
            title: "\(engine): a thousand words, time for a second of speech", unit: "s", isLessBetter: true,
            peers: peers,
            demand: nil)
    }

    private func own(_ engine: String, _ figure: String, name: String) -> Measure.Peer {
        .init(name: name) {
            guard
                let value = try ChildProcess(.init(filePath: ChildProcess.this.path), ["speech", engine, "8"]).finish()
                    .figures[figure]
            else { throw BenchError.failed("no \(figure)") }
            return value
        }
    }

    private func program(_ engine: String) -> URL? { ChildProcess.find(engine == "espeak" ? "espeak-ng" : "flite") }

    private func arguments(_ engine: String, _ text: String, file: URL? = nil) -> [String] {
        if engine == "espeak" { return (file.map { ["-w", $0.path] } ?? ["--stdout"]) + [text] }
        return ["-voice", "slt", "-t", text, "-o", file?.path ?? "/dev/stdout"]
    }
}
