internal import Foundation

/// Measures integrated loudness as Recommendation ITU-R BS.1770-4 defines it.
///
/// The steps, with the Recommendation's names:
/// 1. K-weighting: every channel passes a high shelf (+4 dB above 1.7 kHz, the head) and a high-pass (38 Hz). The
///    Recommendation gives coefficients for 48 kHz; for other rates the same analogue filters are transformed
///    again by the bilinear transform with f0, Q and gain as below, which gives the printed coefficients at 48 kHz.
/// 2. Mean square `z` of every channel in blocks of 400 ms that overlap by 75 %.
/// 3. Loudness of a block: `-0.691 + 10 log10(sum of G·z)`, with weights `G` of ``ChannelWeights``.
/// 4. Gates: blocks at or below -70 LKFS do not count; of the rest, blocks at or below 10 LU under their mean do not.
/// 5. Integrated loudness: the formula of step 3 on the mean of the blocks that are left.
///
/// A value type without shared state: use one meter per stream, from any one thread at a time.
public struct LoudnessMeter: Sendable {
    /// Blocks at or below this loudness never count, in LKFS.
    public static let absoluteGate = -70.0
    /// The second gate's distance below the mean of the blocks that passed the first one, in LU.
    public static let relativeGate = -10.0

    private let channels: Int
    private let weights: [Double]
    private let framesPerStep: Int
    private var filters: [KWeighting]
    private var squares: [Double]
    private var framesInStep = 0
    /// Weighted sums of squares of the last four steps of 100 ms: one gating block.
    private var recentSteps: [Double] = []
    /// Weighted mean squares of every gating block so far.
    private var blocks: [Double] = []

    /// The maximum magnitude of any sample so far, linear.
    public private(set) var peak: Float = 0

    /// Frames measured so far.
    public private(set) var frames: Int64 = 0

    /// Creates a meter.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames per second, in Hz; 100 or more.
    ///   - channels: Samples per frame, in the order of WAVE files; 1…8.
    public init(sampleRate: Int, channels: Int) {
        self.channels = channels
        weights = ChannelWeights.weights(forChannels: channels)
        framesPerStep = max(1, Int((Double(sampleRate) / 10).rounded()))
        filters = Array(repeating: KWeighting(sampleRate: Double(sampleRate)), count: channels)
        squares = Array(repeating: 0, count: channels)
    }

    /// Measures the next frames.
    ///
    /// - Parameter samples: Interleaved samples; a whole number of frames.
    public mutating func process(_ samples: UnsafeBufferPointer<Float>) {
        let count = samples.count / channels
        var first = 0
        while first < count {
            let length = min(count - first, framesPerStep - framesInStep)
            for channel in 0..<channels { measure(samples, channel: channel, first: first, length: length) }
            first += length
            framesInStep += length
            frames += Int64(length)
            if framesInStep == framesPerStep { endStep() }
        }
    }

    private mutating func measure(_ samples: UnsafeBufferPointer<Float>, channel: Int, first: Int, length: Int) {
        // Local copies: the loop runs for every sample of a render.
        var filter = filters[channel]
        var sum = squares[channel]
        var maximum = peak
        for frame in first..<first + length {
            let sample = samples[frame * channels + channel]
            maximum = max(maximum, abs(sample))
            let weighted = filter.process(Double(sample))
            sum += weighted * weighted
        }
        filters[channel] = filter
        squares[channel] = sum
        peak = maximum
    }

    /// Measures the next frames.
    ///
    /// - Parameter samples: Interleaved samples; a whole number of frames.
    public mutating func process(_ samples: [Float]) {
        samples.withUnsafeBufferPointer { process($0) }
    }

    /// The integrated loudness in LUFS (the same unit as LKFS); `nil` when nothing passed the gates: silence, or less
    /// than 400 ms of sound.
    public var integratedLoudness: Double? {
        let audible = blocks.filter { Self.loudness(ofMeanSquare: $0) > Self.absoluteGate }
        guard !audible.isEmpty else { return nil }
        let threshold = Self.loudness(ofMeanSquare: Self.mean(audible)) + Self.relativeGate
        let counted = audible.filter { Self.loudness(ofMeanSquare: $0) > threshold }
        guard !counted.isEmpty else { return nil }
        return Self.loudness(ofMeanSquare: Self.mean(counted))
    }

    private mutating func endStep() {
        var sum = 0.0
        for channel in 0..<channels {
            sum += weights[channel] * squares[channel]
            squares[channel] = 0
        }
        framesInStep = 0
        recentSteps.append(sum)
        if recentSteps.count > 4 { recentSteps.removeFirst() }
        if recentSteps.count == 4 { blocks.append(recentSteps.reduce(0, +) / Double(4 * framesPerStep)) }
    }

    private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

    private static func loudness(ofMeanSquare value: Double) -> Double { -0.691 + 10 * log10(value) }
}
