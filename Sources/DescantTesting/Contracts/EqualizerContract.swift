public import DescantCore

/// Checks the rules that every equaliser's controls must keep; see `EQPort` for the rules in full. What is heard of them is not checked.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#equalizer -->
/// ```swift
/// let contract = EqualizerContract { MyEqualizer() }
/// #expect(contract.findings() == [])
/// ```
public struct EqualizerContract {
    private let makeEqualizer: () -> any EQPort

    /// Prepares the checks.
    ///
    /// - Parameter makeEqualizer: Makes an equaliser that nobody has set; called on the thread of ``findings()``.
    public init(makeEqualizer: @escaping () -> any EQPort) { self.makeEqualizer = makeEqualizer }

    /// Runs every check on the calling thread.
    ///
    /// - Returns: The broken rules; empty for an equaliser that keeps the contract.
    public func findings() -> [ContractFinding] {
        var collector = FindingCollector()
        let equalizer = makeEqualizer()
        collector.expect(!equalizer.isEnabled, "an equaliser is off at first", seen: "one that is on")
        collector.expectEqual(equalizer.preamp, 0, "the preamp is 0 dB at first")
        collector.expectEqual(equalizer.bandGains, Self.flat, "there are ten bands, of 0 dB at first")
        checkPreamp(equalizer, into: &collector)
        checkBands(equalizer, into: &collector)
        let gains = equalizer.bandGains
        for isEnabled in [true, false] {
            equalizer.isEnabled = isEnabled
            collector.expectEqual(equalizer.isEnabled, isEnabled, "it can be switched on and off")
            collector.expectEqual(equalizer.bandGains, gains, "switching changes no gain")
        }
        return collector.findings
    }

    private static let flat = [Float](repeating: 0, count: EqualizerSettings.bandFrequencies.count)
    /// Gains, and what is made of them.
    private static let values: [(set: Float, read: Float)] = [
        (-3.5, -3.5), (12, 12), (12.5, 12), (-40, -12), (.infinity, 12), (-.infinity, -12), (.nan, 0), (0, 0),
    ]

    private func checkPreamp(_ equalizer: any EQPort, into collector: inout FindingCollector) {
        for (set, read) in Self.values {
            equalizer.preamp = set
            collector.expectEqual(equalizer.preamp, read, "a preamp of \(set) dB is read as \(read) dB")
        }
    }

    private func checkBands(_ equalizer: any EQPort, into collector: inout FindingCollector) {
        let all = Self.flat.indices.map { Float($0) - 4 }
        equalizer.bandGains = all
        collector.expectEqual(equalizer.bandGains, all, "the gains of all bands can be read back")
        equalizer.bandGains = Self.values.map(\.set)
        collector.expectEqual(
            equalizer.bandGains, Self.values.map(\.read) + all.dropFirst(Self.values.count),
            "gains are clamped to -12…12 dB, and bands without a value keep theirs")
        equalizer.bandGains = all + [7, 8]
        collector.expectEqual(equalizer.bandGains, all, "values beyond the last band are left out")
        equalizer.bandGains = []
        collector.expectEqual(equalizer.bandGains, all, "no values change nothing")
    }
}
