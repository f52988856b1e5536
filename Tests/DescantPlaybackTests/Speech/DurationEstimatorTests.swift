import DescantCore
import Testing

@testable import DescantPlayback

/// Durations of spoken sentences, and estimates of the rest.
@Suite struct DurationEstimatorTests {
    /// Punctuation before the first complete sentence does not end the estimate.
    @Test func sentencesWithoutSoundDoNotChangeTheEstimate() {
        var pace = DurationEstimator()
        for weight in [11.0, 3, 12] { pace.append(weight: weight, boundary: .sentence) }
        let guess = pace.seconds(of: 0)
        pace.note(seconds: 0, of: 1, epoch: pace.epoch)
        #expect(pace.seconds(of: 0) == guess)
        #expect(pace.seconds(of: 1) == 0)
        #expect(pace.cursor(at: guess / 2)?.segment == 0)
        pace.note(seconds: 1.1, of: 0, epoch: pace.epoch)
        #expect(abs(pace.seconds(of: 2) - 1.2) < 1e-9)
        #expect(!pace.isExact)
        pace.note(seconds: 1, of: 2, epoch: pace.epoch)
        #expect(pace.isExact)
    }
}
