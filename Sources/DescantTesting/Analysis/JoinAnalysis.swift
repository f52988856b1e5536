internal import DescantCore
internal import Foundation

/// Measures whether one tone, cut into two files, is rendered without a gap, an overlap or a step at the cut.
public struct JoinAnalysis: Sendable, Hashable {
    /// What was found around the join.
    public struct Measurement: Sendable, Hashable {
        /// Frames in excess at the join, from the phases before and after it.
        ///
        /// Negative when frames are missing; known modulo the tone's period.
        public var shift: Double
        /// Frames rendered in excess of the whole tone's length.
        public var excessFrames: Int
        /// The maximum difference near the join from the tone as it was before the join, in dBFS.
        public var residual: Double
        /// The maximum slope near the join, relative to the steady tone's.
        public var slopeRatio: Double
        /// The longest run of silent frames near the join.
        public var longestSilence: Int
        /// The tone's peak before the join, linear.
        public var amplitude: Double
    }

    /// The number of frames on either side of the join that are compared; phases are fitted outside of them.
    private static let margin = 4_000

    /// The tone's frequency in Hz. A period that is not a whole number of frames makes smaller shifts visible.
    public var frequency: Double
    /// The frame at which the second part begins.
    public var split: Int
    /// The whole tone's length in frames.
    public var expectedFrames: Int

    /// Describes the join.
    ///
    /// - Parameters:
    ///   - frequency: The tone's frequency in Hz.
    ///   - split: The frame at which the second part begins.
    ///   - expectedFrames: The whole tone's length in frames.
    public init(frequency: Double, split: Int, expectedFrames: Int) {
        self.frequency = frequency
        self.split = split
        self.expectedFrames = expectedFrames
    }

    /// Measures a rendering of both parts.
    ///
    /// - Parameter rendered: The rendering; its first channel is measured.
    public func measure(_ rendered: SampleBuffer) -> Measurement {
        let margin = Self.margin
        let samples = rendered.channel(0)
        let rate = rendered.format.sampleRate
        let before = ToneFit(
            frequency: frequency, in: samples, frames: margin..<max(margin, split - margin), sampleRate: rate)
        let after = ToneFit(
            frequency: frequency, in: samples, frames: split + margin..<max(split + margin, samples.count - margin),
            sampleRate: rate)
        var turn = (before.phase - after.phase) / (2 * .pi)
        turn -= turn.rounded()
        let near = max(0, split - margin)..<min(samples.count, split + margin)
        var residual = 0.0
        for frame in near {
            residual = max(residual, abs(Double(samples[frame]) - before.sample(at: frame, sampleRate: rate)))
        }
        let part = rendered.slice(near)
        return Measurement(
            shift: turn * Double(rate) / frequency, excessFrames: samples.count - expectedFrames,
            residual: Decibels.of(residual),
            slopeRatio: SlopeAnalysis.ratio(in: part, frequency: frequency, amplitude: before.amplitude),
            longestSilence: SilenceAnalysis.longest(in: part).count, amplitude: before.amplitude)
    }
}
