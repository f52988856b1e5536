internal import Foundation

/// The measures of speech, beside the command-line programs of the same engines.
struct SpeechPeers {
    let corpus: BenchCorpus

    /// sherpa-onnx through its library, which has no program, if the variables name it; with a model of tones.
    private var engines: [String] {
        let hasSherpa = ProcessInfo.processInfo.environment["DESCANT_SHERPA_LIBRARY"] != nil
        return ["espeak", "flite"] + (hasSherpa ? ["sherpa"] : [])
    }

    var measures: [Measure] {
        engines.flatMap { [first($0), play($0), sentence($0), page($0), processor($0), memory($0)] } + switches
    }

    // MARK: First sound

    private func first(_ engine: String) -> Measure {
        var peers = [
            own(["first", engine, "20"], "warm_ms"),
            own(["first", engine, "1"], "cold_ms", name: "Descant, first in a process"),
        ]
        if let program = program(engine) { peers.append(firstByte(program, of: engine)) }
        return Measure(
            title: "\(engine): ten words to first sample", unit: "ms", isLessBetter: true, peers: peers,
            demand: program(engine).map { .peer($0.lastPathComponent) } ?? .limit(50))
    }

    /// The measure of the time to the first sound, with the demanded ratio.
    private func play(_ engine: String) -> Measure {
        Measure(
            title: "\(engine): play call to first audible sample", unit: "ms", isLessBetter: true,
            peers: [
                own(["play", engine, "20"], "play_ms"),
                own(["play", engine, "1"], "play_cold_ms", name: "Descant, with its start"),
            ], demand: ["espeak": .limit(50), "flite": .limit(100)][engine])
    }

    private var switches: [Measure] {
        let pairs = [("espeak", "flite"), ("flite", "espeak")] + (engines.count > 2 ? [("espeak", "sherpa")] : [])
        return pairs.map { first, second in
            var peers = [
                own(["switch", first, second, "5"], "switch_ms"),
                own(["switch", first, second, "1"], "switch_cold_ms", name: "Descant, the first time"),
            ]
            if let program = program(second) { peers.append(firstByte(program, of: second)) }
            return Measure(
                title: "\(first) to \(second) in a sentence, until the other voice begins", unit: "ms",
                isLessBetter: true,
                peers: peers, demand: .limit(100))
        }
    }

    /// The time from the start of a program that speaks one text and ends.
    private func firstByte(_ program: URL, of engine: String) -> Measure.Peer {
        .init(name: program.lastPathComponent) {
            let start = BenchOutput.now
            try ChildProcess(program, arguments(engine, SpeechTexts.sentence)).waitForFirstByte()
            return Double(BenchOutput.now - start) / 1e6
        }
    }

    // MARK: Speed and cost

    private func sentence(_ engine: String) -> Measure {
        length(engine, "a sentence, time for a minute of speech", SpeechTexts.sentence, own: "rtf_sentence", \.wall)
    }

    private func page(_ engine: String) -> Measure {
        length(engine, "a page, time for a minute of speech", SpeechTexts.page, own: "rtf_page", \.wall)
    }

    private func processor(_ engine: String) -> Measure {
        length(engine, "a page, processor time for a minute of speech", SpeechTexts.page, own: "cpu_page", \.seconds)
    }

    private func length(
        _ engine: String, _ what: String, _ text: String, own figure: String,
        _ part: @escaping @Sendable (ProcessCost) -> Double
    ) -> Measure {
        var peers = [own(["length", engine, "20"], figure, times: 60_000)]
        if let program = program(engine) {
            peers.append(
                .init(name: program.lastPathComponent) {
                    let file = corpus.folder.appendingPathComponent("\(engine).wav")
                    let cost = try ProcessCost.of(program, arguments(engine, text, file: file))
                    let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
                    // 16 bits a sample, behind a header.
                    let seconds = Double(size - 44) / 2 / (engine == "espeak" ? 22_050 : 16_000)
                    return part(cost) / seconds * 60_000
                })
        }
        return Measure(
            title: "\(engine): \(what)", unit: "ms", isLessBetter: true, peers: peers,
            demand: program(engine).map { .peer($0.lastPathComponent) } ?? .limit(6_000),
            knownMiss: Self.lengthMiss(of: engine))
    }

    /// The programs speak a whole text in one process.
    private static func lengthMiss(of engine: String) -> Measure.KnownMiss? {
        switch engine {
        case "espeak":
            .init(
                limit: 8,
                reason: "each sentence is spoken by a helper process that loads espeak-ng anew, and crosses to this one"
            )
        case "flite": .init(limit: 1.3, reason: "each sentence is spoken alone, and divided into chunks with marks")
        default: nil
        }
    }

    private func memory(_ engine: String) -> Measure {
        var peers = [own(["length", engine, "1"], "memory_mb")]
        if let program = program(engine) {
            peers.append(
                .init(name: program.lastPathComponent) {
                    let file = corpus.folder.appendingPathComponent("\(engine).wav")
                    return try ProcessCost.memory(of: program, arguments(engine, SpeechTexts.page, file: file))
                })
        }
        return Measure(
            title: "\(engine): maximum memory of a page", unit: "MB", isLessBetter: true, peers: peers, demand: nil)
    }

    // MARK: Processes

    private func own(
        _ arguments: [String], _ figure: String, name: String = TableBench.ownName, times factor: Double = 1
    ) -> Measure.Peer {
        .init(name: name) {
            guard let value = try ChildProcess(ChildProcess.this, ["speech"] + arguments).finish().figures[figure]
            else { throw BenchError.failed("no \(figure)") }
            return value * factor
        }
    }

    private func program(_ engine: String) -> URL? {
        ["espeak": "espeak-ng", "flite": "flite"][engine].flatMap { ChildProcess.find($0) }
    }

    private func arguments(_ engine: String, _ text: String, file: URL? = nil) -> [String] {
        if engine == "espeak" { return (file.map { ["-w", $0.path] } ?? ["--stdout"]) + [text] }
        return ["-voice", "slt", "-t", text, "-o", file?.path ?? "/dev/stdout"]
    }
}
