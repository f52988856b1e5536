/// Moves word marks to the first sound of their words.
///
/// Engines place a word's mark at the beginning of its first phoneme; plosives such as p, t and k begin with up to 60 ms
/// of silence. A mark in silence moves to the first sound after it. Silence is a level of 40 dB or more below the loudest 2 ms so far.
/// Sound is delayed until the marks in it are final.
public struct SpeechOnsets: Sendable {
    /// The share of the loudest window's energy from which a window counts as sound.
    private static let share: Float = 1e-4
    /// The mean square below which a window is always silence.
    private static let floor: Float = 1e-7

    private let sampleRate: Int
    private let reach: Int
    private let step: Int
    private var window: Int { 4 * step }
    private var loudest: Float = 0
    private var samples: [Float] = []
    private var marks: [SpeechMark] = []
    private var start: Int64 = 0  // The frame of the first sample that was not given out.

    /// Creates a filter for one request.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames per second, in Hz.
    ///   - reach: The maximum distance between a mark and its sound, in seconds.
    public init(sampleRate: Int, reach: Double = 0.08) {
        self.sampleRate = sampleRate
        self.reach = max(1, Int(Double(sampleRate) * reach))
        step = max(1, sampleRate / 2_000)
    }

    /// Appends sound and marks, in order.
    ///
    /// - Parameters:
    ///   - samples: The next sound.
    ///   - marks: Marks in it or behind it; rising frames.
    /// - Returns: The sound and marks that are final; `nil` for none.
    public mutating func append(_ samples: [Float], marks: [SpeechMark] = []) -> SpeechChunk? {
        self.samples += samples
        // Windows that reach into the new sound.
        let old = max(0, self.samples.count - samples.count - window)
        for start in stride(from: old, through: self.samples.count - window, by: window) {
            loudest = max(loudest, level(of: self.samples, at: start))
        }
        self.marks += marks
        return give(upTo: self.samples.count - reach)
    }

    /// Returns the remaining sound and marks; `nil` for none.
    public mutating func finish() -> SpeechChunk? {
        // A mark behind the last sound cannot be heard.
        marks.removeAll { $0.frame >= start + Int64(samples.count) }
        return give(upTo: samples.count)
    }

    private mutating func give(upTo limit: Int) -> SpeechChunk? {
        guard limit > 0 else { return nil }
        let end = start + Int64(limit)
        var settled: [SpeechMark] = []
        while let mark = marks.first, mark.frame < end {
            var moved = mark
            moved.frame = onset(of: mark, before: marks.dropFirst().first?.frame)
            // Sound that lies behind the limit is given out with the next chunk, and the mark with it.
            guard moved.frame < end else {
                marks[0] = moved
                break
            }
            settled.append(moved)
            marks.removeFirst()
        }
        let chunk = SpeechChunk(samples: Array(samples[..<limit]), sampleRate: sampleRate, marks: settled)
        samples.removeFirst(limit)
        start = end
        return chunk
    }

    private func onset(of mark: SpeechMark, before next: Int64?) -> Int64 {
        let place = Int(mark.frame - start)
        let last = min(samples.count, place + reach, next.map { Int($0 - start) } ?? Int.max)
        guard place >= 0, place < last else { return mark.frame }
        let threshold = max(Self.floor, Self.share * loudest)
        let first = max(0, place - 8 * step)
        // Sound from the beginning on is not an onset, and a mark in the midst of sound stays.
        guard
            let sound = stride(from: first, to: last - window, by: step).first(where: {
                level(of: samples, at: $0) >= threshold
            }), sound > first, sound + window - step > place
        else { return mark.frame }
        return start + Int64(min(last - 1, sound + window - step))
    }

    /// The mean square of a window.
    private func level(of samples: [Float], at start: Int) -> Float {
        samples[start..<start + window].reduce(0) { $0 + $1 * $1 } / Float(window)
    }
}
