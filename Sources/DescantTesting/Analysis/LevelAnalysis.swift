/// Peak and mean level of samples.
public enum LevelAnalysis {
    /// The maximum magnitude, linear.
    ///
    /// - Parameter samples: Any samples.
    public static func peak(_ samples: [Float]) -> Double {
        samples.withUnsafeBufferPointer { samples in
            var peak: Float = 0
            for index in samples.indices where samples[index].magnitude > peak { peak = samples[index].magnitude }
            return Double(peak)
        }
    }

    /// The root of the mean square, linear; 0 for no samples.
    ///
    /// - Parameter samples: Any samples.
    public static func rms(_ samples: [Float]) -> Double {
        guard !samples.isEmpty else { return 0 }
        return samples.withUnsafeBufferPointer { samples in
            var sum = 0.0
            for index in samples.indices { sum += Double(samples[index]) * Double(samples[index]) }
            return (sum / Double(samples.count)).squareRoot()
        }
    }

    /// The maximum difference between two stretches of samples, linear; infinite when their lengths differ.
    ///
    /// - Parameters:
    ///   - samples: What was rendered.
    ///   - expected: What should have been.
    public static func maximumDifference(_ samples: [Float], _ expected: [Float]) -> Double {
        guard samples.count == expected.count else { return .infinity }
        return samples.withUnsafeBufferPointer { samples in
            expected.withUnsafeBufferPointer { expected in
                var maximum: Float = 0
                for index in samples.indices {
                    let difference = (samples[index] - expected[index]).magnitude
                    // A NaN must not pass as equal.
                    if !(difference <= maximum) { maximum = difference.isNaN ? .infinity : difference }
                }
                return Double(maximum)
            }
        }
    }
}
