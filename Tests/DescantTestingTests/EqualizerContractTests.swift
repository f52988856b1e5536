import DescantCore
import DescantTesting
import Testing

/// The contract of equalisers' controls, checked on one that breaks rules.
@Suite struct EqualizerContractTests {
    /// Takes every value as it comes.
    private final class Careless: EQPort {
        var isEnabled = true
        var preamp: Float = 0
        var bandGains: [Float] = []
    }

    @Test func brokenEqualizersAreFound() {
        let rules = EqualizerContract { Careless() }.findings().map(\.rule)
        for rule in [
            "off at first", "ten bands", "a preamp of 12.5 dB", "a preamp of nan dB", "keep theirs", "beyond the last",
            "no values",
        ] {
            #expect(rules.contains { $0.contains(rule) }, "\(rule)")
        }
    }
}
