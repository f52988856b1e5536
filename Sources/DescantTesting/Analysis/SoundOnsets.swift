/// Finds where sound begins after silence.
public enum SoundOnsets {
    /// The frames at which sound begins.
    ///
    /// Levels are root mean squares over 2 ms. Sound is louder, and silence quieter, than 40 dB below the loudest of them.
    ///
    /// - Parameters:
    ///   - samples: One channel.
    ///   - sampleRate: Frames per second, in Hz.
    ///   - silence: The minimum silence before an onset, in seconds. Sound at the first frame is an onset without it.
    /// - Returns: Frames in rising order, exact to 0.5 ms.
    public static func frames(in samples: [Float], sampleRate: Int, after silence: Double = 0.04) -> [Int] {
        let step = max(1, sampleRate / 2_000)
        let window = 4 * step
        let squares = samples.map { Double($0) * Double($0) }
        let levels = stride(from: 0, to: max(0, squares.count - window), by: step).map { start in
            squares[start..<start + window].reduce(0, +)
        }
        let threshold = (levels.max() ?? 0) * 1e-4
        guard threshold > 0 else { return [] }
        var onsets: [Int] = []
        var quiet = Int.max
        for (index, level) in levels.enumerated() {
            if level < threshold {
                quiet = quiet == Int.max ? quiet : quiet + step
            } else {
                // The sound begins in the last quarter of the window.
                let isFirst = quiet == Int.max
                if isFirst || Double(quiet) / Double(sampleRate) >= silence {
                    onsets.append(index == 0 ? 0 : index * step + window - step)
                }
                quiet = 0
            }
        }
        return onsets
    }
}
