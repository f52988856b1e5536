internal import CResampling
internal import Synchronization

/// A low-pass filter for one pair of sample rates, with one row of weights for every position that an output frame can
/// have between two input frames. Nothing is interpolated, so the error of a converted tone is that of the filter
/// alone.
///
/// At 44,100 → 48,000 Hz: flat within 0.01 dB to 20 kHz, images below -105 dB.
final class PolyphaseFilter: Sendable {
    /// Weights of a row, a multiple of 16.
    let taps: Int
    /// Rows.
    let phases: Int
    /// The input advance per output frame, in phases.
    let advance: Int
    private let weights: [Float]

    /// The maximum number of rows. Pairs of rates that need more are rare, and their tables would not fit into a
    /// processor's cache.
    private static let maximumPhases = 1_024
    /// The maximum number of weights of one filter and of all kept filters: 4 and 32 MB.
    private static let (maximumWeights, maximumKeptWeights) = (1 << 20, 1 << 23)
    /// The frequency of half the level, relative to the lower sample rate: 21.2 kHz at 44.1 kHz.
    private static let cutoff = 0.4807
    /// The weights of a row for equal or rising rates; falling rates need more.
    private static let tapsAtEqualRates = 128
    /// Kaiser's shape for a stop band of 110 dB: 0.1102 × (110 - 8.7).
    private static let beta = 11.16

    private struct Rates: Hashable {
        let input: Int
        let output: Int
    }

    private static let made = Mutex<[Rates: PolyphaseFilter]>([:])

    /// The filter for a pair of rates, made once; `nil` for rates that have no small ratio.
    static func filter(from input: Int, to output: Int) -> PolyphaseFilter? {
        guard input > 0, output > 0, input <= 64 * output, output <= 64 * input else { return nil }
        let divisor = greatestCommonDivisor(input, output)
        let rates = Rates(input: input / divisor, output: output / divisor)
        guard rates.output <= maximumPhases, taps(of: rates) * rates.output <= maximumWeights else { return nil }
        return made.withLock { made in
            if let filter = made[rates] { return filter }
            let filter = PolyphaseFilter(advance: rates.input, phases: rates.output)
            // Bounded, because files may have any number of rates. Converters keep the filters that they use.
            let kept = made.values.reduce(0) { $0 + $1.weights.count }
            if kept + filter.weights.count > maximumKeptWeights { made.removeAll() }
            made[rates] = filter
            return filter
        }
    }

    /// The factor by which a falling rate lowers the cutoff and lengthens the filter.
    private static func widening(of rates: Rates) -> Double { max(1, Double(rates.input) / Double(rates.output)) }

    private static func taps(of rates: Rates) -> Int {
        (Int((Double(tapsAtEqualRates) * widening(of: rates)).rounded(.up)) + 15) / 16 * 16
    }

    private init(advance: Int, phases: Int) {
        self.advance = advance
        self.phases = phases
        let rates = Rates(input: advance, output: phases)
        let widening = Self.widening(of: rates)
        taps = Self.taps(of: rates)
        weights = [Float](unsafeUninitializedCapacity: taps * phases) { [taps] memory, count in
            guard let base = memory.baseAddress else { return }
            descant_polyphase_design(base, taps, phases, Self.cutoff / widening, Self.beta)
            count = taps * phases
        }
    }

    /// The size of the workspace of ``run(_:channels:part:frames:into:workspace:)``.
    var workspaceCount: Int {
        weights.withUnsafeBufferPointer { withUnsafePointer(to: shape(of: $0), descant_polyphase_workspace) }
    }

    /// Makes output frames.
    ///
    /// - Parameters:
    ///   - input: Interleaved input, from the first frame that the first output frame needs.
    ///   - channels: The channels of input and output.
    ///   - part: The position of the first output frame between two input frames, in phases.
    ///   - frames: How many to make.
    ///   - output: Receives them, interleaved.
    ///   - workspace: Memory for ``workspaceCount`` floats, whose contents are of no interest.
    func run(
        _ input: UnsafePointer<Float>, channels: Int, part: Int, frames: Int,
        into output: UnsafeMutablePointer<Float>, workspace: UnsafeMutablePointer<Float>
    ) {
        weights.withUnsafeBufferPointer { weights in
            withUnsafePointer(to: shape(of: weights)) {
                descant_polyphase_run($0, input, channels, part, frames, output, workspace)
            }
        }
    }

    private func shape(of weights: UnsafeBufferPointer<Float>) -> descant_polyphase {
        descant_polyphase(
            weights: weights.baseAddress, taps: taps, phases: phases, step: advance / phases,
            step_part: advance % phases)
    }

    private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
        b == 0 ? a : greatestCommonDivisor(b, a % b)
    }
}
