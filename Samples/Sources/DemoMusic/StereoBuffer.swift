internal import Foundation

/// Stereo sound in the making: notes are added at times, the result is read as interleaved samples.
public struct StereoBuffer: Sendable {
    /// Frames per second, in Hz.
    public let sampleRate: Int
    /// Left samples.
    public private(set) var left: [Float]
    /// Right samples.
    public private(set) var right: [Float]

    /// Creates silence.
    ///
    /// - Parameters:
    ///   - seconds: Length of the sound.
    ///   - sampleRate: Frames per second, in Hz.
    public init(seconds: Double, sampleRate: Int) {
        self.sampleRate = sampleRate
        left = [Float](repeating: 0, count: Int(seconds * Double(sampleRate)))
        right = left
    }

    /// Frames in the buffer.
    public var frames: Int { left.count }

    /// Interleaved samples, left first.
    public var interleaved: [Float] {
        var samples = [Float](repeating: 0, count: frames * 2)
        for frame in 0..<frames {
            samples[2 * frame] = left[frame]
            samples[2 * frame + 1] = right[frame]
        }
        return samples
    }

    /// Adds a mono sound; what reaches beyond the end is dropped.
    ///
    /// - Parameters:
    ///   - sound: Samples.
    ///   - time: Where it begins, in seconds.
    ///   - gain: A linear gain.
    ///   - pan: -1 left … 1 right, of equal power.
    mutating func add(_ sound: [Float], at time: Double, gain: Float, pan: Float = 0) {
        let start = max(0, Int(time * Double(sampleRate)))
        let angle = (pan + 1) * .pi / 4
        let leftGain = gain * cos(angle)
        let rightGain = gain * sin(angle)
        for (index, sample) in sound.enumerated() where start + index < frames {
            left[start + index] += sample * leftGain
            right[start + index] += sample * rightGain
        }
    }

    /// Adds another buffer of the same length.
    mutating func add(_ other: StereoBuffer, gain: Float) {
        for frame in 0..<min(frames, other.frames) {
            left[frame] += other.left[frame] * gain
            right[frame] += other.right[frame] * gain
        }
    }

    /// Replaces both sides by what a function makes of them.
    mutating func transform(_ body: (_ left: inout [Float], _ right: inout [Float]) -> Void) { body(&left, &right) }

    /// Scales so that the maximum magnitude has a value.
    mutating func normalize(toPeak peak: Float) {
        let present = max(left.lazy.map(abs).max() ?? 0, right.lazy.map(abs).max() ?? 0)
        guard present > 0 else { return }
        let gain = peak / present
        for frame in 0..<frames {
            left[frame] *= gain
            right[frame] *= gain
        }
    }
}
