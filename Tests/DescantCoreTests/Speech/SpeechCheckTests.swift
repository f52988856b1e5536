import Testing

@testable import DescantCore

/// What the host finds in speech from a helper, and how a helper divides what is too long for a message.
@Suite struct SpeechCheckTests {
    private static let text = "one two"

    private func mark(_ frame: Int64) -> SpeechMark {
        SpeechMark(kind: .word, utf8Range: 0..<3, frame: frame, isEstimated: false)
    }

    /// The first fault in some chunks of speech of the text.
    private func fault(of chunks: [SpeechChunk]) -> String? {
        var check = SpeechCheck(SpeechRequest(text: Self.text))
        for chunk in chunks {
            if let fault = check.fault(of: chunk) { return fault }
        }
        return check.faultAtEnd
    }

    private func fault(rate: Int = 16_000, marks: [SpeechMark]) -> String? {
        fault(of: [SpeechChunk(samples: [0.25, 0.25], sampleRate: rate, marks: marks)])
    }

    // MARK: Marks

    @Test func marksWithinTheSoundAreTaken() {
        #expect(fault(marks: [mark(0), mark(1), mark(2)]) == nil)
    }

    @Test func markBehindAllSoundThatMayBeIsFoundAtOnce() {
        #expect(fault(marks: [mark(.max)]) == "it gave a mark at frame \(Int64.max) for 7 bytes of text")
        // 60 s and 10 s for each byte.
        #expect(fault(marks: [mark(130 * 16_000 + 1)]) == "it gave a mark at frame 2080001 for 7 bytes of text")
        #expect(fault(marks: [mark(130 * 16_000)]) == "it gave a mark at frame 2080000 of 2")
        #expect(fault(marks: [mark(.min)]) == "it gave a mark at frame \(Int64.min) after one at 0")
    }

    @Test func marksAreCounted() {
        #expect(fault(marks: [SpeechMark](repeating: mark(0), count: 30)) == nil)
        #expect(
            fault(marks: [SpeechMark](repeating: mark(0), count: 31)) == "it gave 31 marks for 7 bytes of text")
    }

    // MARK: Sound

    @Test func chunksWithoutSoundAreCounted() {
        let empty = SpeechChunk(samples: [], sampleRate: 16_000)
        #expect(fault(of: [SpeechChunk](repeating: empty, count: 30)) == nil)
        #expect(
            fault(of: [SpeechChunk](repeating: empty, count: 31))
                == "it gave 31 pieces without sound for 7 bytes of text")
    }

    @Test func sampleRatesAreThoseOfVoices() {
        #expect(fault(rate: 192_000, marks: []) == nil)
        for rate in [0, -1, 192_001, .max] {
            #expect(fault(rate: rate, marks: []) == "it gave a sample rate of \(rate) Hz")
        }
    }

    /// At a high rate the seconds of a long text would be more than any memory holds.
    @Test func framesAreBoundedWhateverTheRate() {
        let length = 1_000
        let limit = Int64(1 << 28) + 48_000 * Int64(length)
        var check = SpeechCheck(SpeechRequest(text: String(repeating: "a", count: length)))
        let far = SpeechChunk(samples: [], sampleRate: 192_000, marks: [mark(limit + 1)])
        let fault = check.fault(of: far)
        #expect(fault == "it gave a mark at frame \(limit + 1) for 1000 bytes of text")
    }

    // MARK: Descriptions

    @Test func speakingRatesAreThoseThatCanBeReckonedWith() {
        func fault(_ rates: ClosedRange<Double>) -> String? {
            SpeechCheck.fault(
                of: SpeechCapabilities(
                    wordTiming: .exact, cancelGranularity: .immediate, concurrency: 1, rateRange: rates))
        }
        let possible: [ClosedRange<Double>] = [0.01...100, 0.25...4, 1...1]
        for rates in possible { #expect(fault(rates) == nil) }
        let impossible: [ClosedRange<Double>] = [
            0...0, 0.005...1, 1...101, -1...1, 1...Double.infinity, -Double.infinity...1,
        ]
        for rates in impossible {
            #expect(fault(rates)?.hasPrefix("it gave speaking rates of ") == true, "\(rates)")
        }
    }

    // MARK: The helper's side

    /// A mark that came before all the sound of a long chunk could not be placed.
    @Test func eachPartOfALongChunkHasItsMarks() {
        let length = SharedFrames.speechLength
        let first: Int64 = 1_000
        let frames = [0, length - 1, length, 2 * length + 5, 2 * length + 10].map { first + Int64($0) }
        let chunk = SpeechChunk(
            samples: [Float](repeating: 0.25, count: 2 * length + 10), sampleRate: 16_000, marks: frames.map(mark))
        let pieces = ServedSpeech.pieces(of: chunk, behind: first)
        #expect(pieces.map(\.samples.count) == [length, length, 10])
        #expect(pieces.map { $0.marks.map(\.frame) } == [Array(frames[..<2]), [frames[2]], Array(frames[3...])])
    }

    @Test func marksOfAMessageAreLimited() {
        let marks = (0..<450).map { mark($0) }
        for samples in [[Float](), [Float](repeating: 0.25, count: 450)] {
            let chunk = SpeechChunk(samples: samples, sampleRate: 16_000, marks: marks)
            let pieces = ServedSpeech.pieces(of: chunk, behind: 0)
            #expect(pieces.map(\.marks.count) == [200, 200, 50])
            #expect(pieces.flatMap(\.marks) == marks)
            #expect(pieces.flatMap(\.samples) == samples)
        }
    }

    /// The host would wait in vain for a message that cannot be sent.
    @Test(arguments: ["👨‍👩‍👧‍👦", "a", "é", "\u{1}", "\"\\/", "e" + String(repeating: "\u{301}", count: 200)])
    func everyPieceFitsIntoAMessage(_ text: String) throws {
        let warning = SpeechWarning(
            kind: .unsupportedCharacters, utf8Range: Int.max - 1..<Int.max,
            message: String(repeating: text, count: 300))
        let chunk = SpeechChunk(
            samples: [Float](repeating: 0.25, count: 450), sampleRate: 16_000,
            marks: (0..<450).map { mark(Int64.max - 450 + $0) },
            warnings: [SpeechWarning](repeating: warning, count: 50))
        let pieces = ServedSpeech.pieces(of: chunk, behind: 0)
        for piece in pieces {
            let notes = HelperMessage.SpeechNotes(marks: piece.marks, warnings: piece.warnings)
            #expect(try HelperMessage(.speech, notes).bytes != nil)
        }
        let warnings = pieces.flatMap(\.warnings)
        #expect(warnings.count == 50 && warnings.allSatisfy { !$0.message.isEmpty })
        // The last scalar may be cut.
        let scalars = warning.message.unicodeScalars
        #expect(warnings.allSatisfy { scalars.starts(with: $0.message.unicodeScalars.dropLast()) })
    }
}
