package import DescantCore

/// Measures peak and RMS of every channel over spans of 1/60 s.
package struct LevelMeter: Sendable {
    /// One measured span.
    package struct Reading: Sendable {
        /// The span's last frame on the output's timeline.
        package var frame: Int64
        package var levels: LevelReading.Meter
    }

    private let channels: Int
    private let spanFrames: Int
    private var measured = 0
    private var peaks: [Float]
    private var squares: [Double]

    package init(sampleRate: Int, channels: Int) {
        self.channels = channels
        spanFrames = max(1, sampleRate / 60)
        peaks = [Float](repeating: 0, count: channels)
        squares = [Double](repeating: 0, count: channels)
    }

    /// Measures a block.
    ///
    /// - Parameters:
    ///   - samples: Interleaved samples; `nil` for silence.
    ///   - frames: How many frames.
    ///   - frame: The block's first frame.
    ///   - report: Receives every complete span.
    package mutating func measure(
        _ samples: UnsafePointer<Float>?, frames: Int, startingAt frame: Int64, report: (Reading) -> Void
    ) {
        var done = 0
        while done < frames {
            let count = min(frames - done, spanFrames - measured)
            if let samples { add(samples + done * channels, frames: count) }
            done += count
            measured += count
            if measured == spanFrames { report(takeReading(lastFrame: frame + Int64(done) - 1)) }
        }
    }

    /// Drops an incomplete span.
    package mutating func reset() {
        measured = 0
        for channel in 0..<channels {
            peaks[channel] = 0
            squares[channel] = 0
        }
    }

    private mutating func add(_ samples: UnsafePointer<Float>, frames: Int) {
        for channel in 0..<channels {
            var peak = peaks[channel]
            var square = 0.0
            for index in stride(from: channel, to: frames * channels, by: channels) {
                let sample = samples[index]
                peak = max(peak, abs(sample))
                square += Double(sample) * Double(sample)
            }
            peaks[channel] = peak
            squares[channel] += square
        }
    }

    private mutating func takeReading(lastFrame: Int64) -> Reading {
        let rms = squares.map { Float(($0 / Double(spanFrames)).squareRoot()) }
        let reading = Reading(frame: lastFrame, levels: LevelReading.Meter(peak: peaks, rms: rms))
        reset()
        return reading
    }
}
