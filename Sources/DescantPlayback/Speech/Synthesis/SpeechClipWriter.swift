internal import DescantCore

/// Brings what a synthesizer gives into shape: silence at the beginning and the end is cut off, so that pauses are those of the
/// settings; marks are increasing, one for each real word.
struct SpeechClipWriter {
    private let words: [Range<Int>]
    private var nextWord = 0
    /// Raw frames that came from the synthesizer.
    private var rawFrames = 0
    /// Raw frames of an attempt that failed, which the next one gives again.
    private var skipped = 0
    private var dropped = 0
    private var hasBegun = false
    private var silence: [Float] = []
    /// Marks that came before the first sound.
    private var marks: [SpeechMark] = []

    /// Samples below -60 dBFS are silence.
    private static let threshold: Float = 0.001
    /// Silence that is left at the beginning and at the end, in seconds: soft consonants lie there.
    private static let margin = (beginning: 0.01, end: 0.03)
    /// A comma takes as long as this many letters.
    private static let punctuationWeight = 9

    private let text: String

    init(_ request: SpeechRequest) {
        text = request.text
        words = SpokenWords.ranges(in: request.text)
    }

    /// Prepares for another attempt, of which what is there already is not taken again.
    mutating func restart() {
        skipped = max(skipped, rawFrames)
        rawFrames = 0
    }

    /// Takes a chunk.
    ///
    /// - Returns: The samples and marks to keep.
    mutating func take(_ chunk: SpeechChunk) -> (samples: [Float], marks: [SpeechMark]) {
        let first = rawFrames
        rawFrames += chunk.samples.count
        // Marks may come in a chunk without samples, before their sound.
        guard rawFrames >= skipped else { return ([], []) }
        let fresh = chunk.samples[max(0, skipped - first)...]
        let samples = trimmed(fresh, sampleRate: chunk.sampleRate)
        marks += chunk.marks.filter { $0.frame >= skipped || skipped == 0 }
        // How much silence is dropped before them is known with the first sound.
        guard hasBegun else { return (samples, []) }
        defer { marks = [] }
        return (samples, marks.compactMap { fitted($0) })
    }

    /// What is left of the silence at the end.
    mutating func end(sampleRate: Int) -> [Float] {
        defer { silence = [] }
        return Array(silence.prefix(Int(Self.margin.end * Double(sampleRate))))
    }

    private mutating func trimmed(_ samples: ArraySlice<Float>, sampleRate: Int) -> [Float] {
        var samples = samples
        if !hasBegun {
            let sound = samples.firstIndex { abs($0) > Self.threshold } ?? samples.endIndex
            let kept = Int(Self.margin.beginning * Double(sampleRate))
            silence.append(contentsOf: samples[..<sound])
            guard sound < samples.endIndex else { return [] }
            hasBegun = true
            dropped = max(0, silence.count - kept)
            silence.removeFirst(dropped)
            samples = samples[sound...]
        }
        guard let last = samples.lastIndex(where: { abs($0) > Self.threshold }) else {
            silence.append(contentsOf: samples)
            return []
        }
        let result = silence + samples[...last]
        silence = Array(samples[(last + 1)...])
        return result
    }

    /// The mark on the word that it belongs to; `nil` when it belongs to none, or that one had its mark.
    private mutating func fitted(_ mark: SpeechMark) -> SpeechMark? {
        guard mark.kind == .word, !mark.utf8Range.isEmpty else { return nil }
        var word = nextWord
        while word < words.count, words[word].upperBound <= mark.utf8Range.lowerBound { word += 1 }
        guard word < words.count, words[word].lowerBound < mark.utf8Range.upperBound else { return nil }
        nextWord = word + 1
        // A synthesizer may give any number.
        let frame = FrameCount(clamping: mark.frame).value - Int64(dropped)
        return SpeechMark(
            kind: .word, utf8Range: words[word], frame: max(0, frame), isEstimated: mark.isEstimated)
    }

    /// Marks for a synthesizer that gives none: time in proportion to characters, with a weight for punctuation.
    func estimatedMarks(frames: Int) -> [SpeechMark] {
        var total = 0
        var starts: [Int: Int] = [:]
        var offset = 0
        for scalar in text.unicodeScalars {
            starts[offset] = total
            offset += UTF8.width(scalar)
            switch ScalarKind(scalar) {
            case .comma, .semicolon, .dot, .terminator, .fullTerminator, .ellipsis: total += Self.punctuationWeight
            case .mark, .control: break
            case .ideograph: total += 3
            default: total += 1
            }
        }
        guard total > 0 else { return [] }
        return words.map { word in
            let share = Double(starts[word.lowerBound] ?? 0) / Double(total)
            return SpeechMark(
                kind: .word, utf8Range: word, frame: Int64(share * Double(frames)), isEstimated: true)
        }
    }
}
