internal import DescantCore
internal import Foundation

/// Finds clicks and steps: places where the sound changes faster than the signal can.
public enum SlopeAnalysis {
    /// The maximum change from one sample to the next that a tone has.
    ///
    /// - Parameters:
    ///   - frequency: In Hz.
    ///   - amplitude: The peak, linear.
    ///   - sampleRate: In Hz.
    public static func steadySlope(frequency: Double, amplitude: Double, sampleRate: Int) -> Double {
        2 * amplitude * abs(sin(.pi * frequency / Double(sampleRate)))
    }

    /// The maximum change from one frame to the next in any channel.
    ///
    /// - Parameters:
    ///   - buffer: Where to look.
    ///   - frames: Which frames; clamped to the buffer.
    /// - Returns: The change, linear, and the frame it leads to.
    public static func steepest(in buffer: SampleBuffer, frames: Range<Int>? = nil) -> (slope: Double, frame: Int) {
        let channels = buffer.format.channels
        let range = (frames ?? 0..<buffer.frameCount).clamped(to: 0..<buffer.frameCount)
        guard range.count > 1 else { return (0, range.lowerBound) }
        return buffer.samples.withUnsafeBufferPointer { samples in
            var steepest: Float = 0
            var place = range.lowerBound
            for index in (range.lowerBound + 1) * channels..<range.upperBound * channels {
                let slope = (samples[index] - samples[index - channels]).magnitude
                if slope > steepest {
                    steepest = slope
                    place = index / channels
                }
            }
            return (Double(steepest), place)
        }
    }

    /// The steepest change within frames, relative to that of the steady tone: 1 when there is no click.
    ///
    /// - Parameters:
    ///   - buffer: Where to look.
    ///   - frames: Which frames; clamped to the buffer.
    ///   - frequency: The tone's frequency, in Hz.
    ///   - amplitude: The tone's maximum peak, linear.
    public static func ratio(
        in buffer: SampleBuffer, frames: Range<Int>? = nil, frequency: Double, amplitude: Double
    ) -> Double {
        steepest(in: buffer, frames: frames).slope
            / steadySlope(frequency: frequency, amplitude: amplitude, sampleRate: buffer.format.sampleRate)
    }
}
