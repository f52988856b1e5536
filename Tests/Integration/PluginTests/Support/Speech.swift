import Descant

/// The results of one request.
struct Speech {
    private(set) var samples: [Float] = []
    private(set) var sampleRate = 0
    private(set) var words: [SpeechMark] = []
    private(set) var warnings: [SpeechWarning] = []

    var peak: Float { samples.reduce(0) { max($0, abs($1)) } }

    init(_ synthesizer: any SpeechSynthesizer, _ request: SpeechRequest) async throws {
        for try await chunk in synthesizer.synthesize(request) {
            samples += chunk.samples
            sampleRate = chunk.sampleRate
            words += chunk.marks.filter { $0.kind == .word }
            warnings += chunk.warnings
        }
    }
}
