import DescantCore
import Testing

@Suite struct SpeechOnsetsTests {
    private let tone = (0..<8_000).map { Float($0 % 10 < 5 ? 0.3 : -0.3) }

    private func mark(_ frame: Int64) -> SpeechMark {
        SpeechMark(kind: .word, utf8Range: Int(frame)..<Int(frame) + 1, frame: frame, isEstimated: false)
    }

    /// Sends the sound in pieces of one size; the sound must not change.
    private func marks(_ samples: [Float], _ marks: [Int64], piece: Int) -> [Int64] {
        var onsets = SpeechOnsets(sampleRate: 8_000)
        var chunks: [SpeechChunk] = []
        var waiting = marks
        for start in stride(from: 0, to: samples.count, by: piece) {
            let end = min(samples.count, start + piece)
            let due = waiting.prefix { $0 < Int64(end) }
            waiting.removeFirst(due.count)
            if let chunk = onsets.append(Array(samples[start..<end]), marks: due.map(mark)) { chunks.append(chunk) }
        }
        if let last = onsets.finish() { chunks.append(last) }
        #expect(chunks.flatMap(\.samples) == samples)
        var start: Int64 = 0
        for chunk in chunks {
            #expect(chunk.marks.allSatisfy { $0.frame >= start && $0.frame < start + Int64(chunk.samples.count) })
            start += Int64(chunk.samples.count)
        }
        return chunks.flatMap(\.marks).map(\.frame)
    }

    @Test(arguments: [1, 7, 100, 641, 100_000])
    func marksInSilenceMoveToTheNextSound(piece: Int) {
        let gap = [Float](repeating: 0, count: 2_000)
        let samples = Array(tone[..<4_000]) + gap + Array(tone[..<4_000]) + gap
        // In sound; 50 ms before sound; too far before sound; in the silence at the end.
        let moved = marks(samples, [100, 5_600, 9_000], piece: piece)
        #expect(moved.first == 100 && moved.last == 9_000 && moved.count == 3)
        #expect(abs(moved[1] - 6_000) <= 16, "\(moved)")
        #expect(marks(samples, [4_500], piece: piece) == [4_500])
        #expect(marks(samples, [11_000], piece: piece) == [11_000])
        // A mark does not pass the next one.
        #expect(marks(samples, [5_600, 5_700], piece: piece).first.map { $0 <= 5_700 } == true)
    }
}
