internal import DescantCore

extension FindingCollector {
    /// Records a finding unless a rendering of ramps consists of exactly these runs.
    mutating func expectRuns(_ rendered: SampleBuffer, _ expected: [RampRun], _ rule: String) {
        let runs = RampAnalysis.runs(in: rendered)
        expect(runs == expected, rule, seen: "\(runs.prefix(12)) instead of \(expected)")
    }

    /// Records a finding unless samples follow an ideal.
    ///
    /// - Parameters:
    ///   - samples: One channel of the rendering.
    ///   - frames: Which frames to compare.
    ///   - tolerance: The maximum allowed difference, linear.
    ///   - rule: What must hold.
    ///   - ideal: The ideal sample of a frame, counted from the first one compared.
    mutating func expectSamples(
        _ samples: [Float], in frames: Range<Int>, tolerance: Double, _ rule: String, ideal: (Int) -> Double
    ) {
        guard frames.upperBound <= samples.count else {
            expect(false, rule, seen: "only \(samples.count) frames, \(frames.upperBound) are needed")
            return
        }
        for frame in frames {
            let wanted = ideal(frame - frames.lowerBound)
            guard !(abs(Double(samples[frame]) - wanted) <= tolerance) else { continue }
            expect(false, rule, seen: "\(samples[frame]) at frame \(frame) instead of \(wanted)")
            return
        }
    }

    /// Records a finding unless a channel of constant samples moves between two levels without a step.
    ///
    /// - Parameters:
    ///   - samples: One channel of the rendering.
    ///   - frames: The frames of the movement.
    ///   - step: The maximum allowed change from one sample to the next, linear.
    ///   - rule: What must hold.
    mutating func expectNoStep(_ samples: [Float], in frames: Range<Int>, greaterThan step: Double, _ rule: String) {
        let range = frames.clamped(to: 0..<samples.count)
        for frame in range.dropFirst() where Double((samples[frame] - samples[frame - 1]).magnitude) > step {
            let size = samples[frame] - samples[frame - 1]
            expect(false, rule, seen: "a step of \(size) at frame \(frame), \(step) is allowed")
            return
        }
    }
}
