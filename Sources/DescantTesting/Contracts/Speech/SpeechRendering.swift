internal import DescantCore

/// Everything that a synthesizer returned for one request.
struct SpeechRendering: Sendable {
    var samples: [Float] = []
    var frameCount = 0
    var sampleRate = 0
    var peak: Float = 0
    var marks: [SpeechMark] = []
    var warnings: [SpeechWarning] = []
    var error: (any Error)?
    /// Broken rules of single chunks.
    var faults: [ContractFinding] = []

    var words: [SpeechMark] { marks.filter { $0.kind == .word } }
    var seconds: Double { Double(frameCount) / Double(max(1, sampleRate)) }

    mutating func take(_ chunk: SpeechChunk, keepingSamples: Bool) {
        let end = frameCount + chunk.samples.count
        expect((4_000...384_000).contains(chunk.sampleRate), "a sample rate is 4…384 kHz", "\(chunk.sampleRate) Hz")
        expect(
            sampleRate == 0 || chunk.sampleRate == sampleRate, "every chunk of a request has the same sample rate",
            "\(chunk.sampleRate) Hz after \(sampleRate) Hz")
        expect(chunk.samples.allSatisfy(\.isFinite), "samples are finite", "others")
        expect(
            chunk.marks.allSatisfy { $0.frame >= Int64(frameCount) && $0.frame < Int64(end) },
            "a chunk has the marks whose frames lie in it",
            "\(chunk.marks.map(\.frame)) in the chunk of frames \(frameCount)..<\(end)")
        sampleRate = chunk.sampleRate
        peak = chunk.samples.reduce(peak) { max($0, abs($1)) }
        if keepingSamples { samples += chunk.samples }
        frameCount = end
        marks += chunk.marks
        warnings += chunk.warnings
    }

    private mutating func expect(_ condition: Bool, _ rule: String, _ seen: String) {
        if !condition, faults.count < 8 { faults.append(ContractFinding(rule: rule, seen: seen)) }
    }
}
