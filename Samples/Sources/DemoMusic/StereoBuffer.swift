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

/// A small room after Schroeder: four parallel comb filters, then two all-passes, with different delays on each side.
struct Reverb {
    private static let combs = [1557, 1617, 1491, 1422]
    private static let allPasses = [225, 556]

    let feedback: Float

    /// The room's answer alone, without the dry sound.
    func wet(of dry: StereoBuffer) -> StereoBuffer {
        var wet = dry
        wet.transform { left, right in
            left = answer(to: left, spread: 0)
            right = answer(to: right, spread: 23)
        }
        return wet
    }

    private func answer(to dry: [Float], spread: Int) -> [Float] {
        var sum = [Float](repeating: 0, count: dry.count)
        for length in Self.combs { comb(dry, length: length + spread, into: &sum) }
        for length in Self.allPasses { sum = allPass(sum, length: length + spread) }
        return sum
    }

    private func comb(_ input: [Float], length: Int, into sum: inout [Float]) {
        var line = [Float](repeating: 0, count: length)
        var damped: Float = 0
        for (index, sample) in input.enumerated() {
            let delayed = line[index % length]
            damped += 0.6 * (delayed - damped)
            line[index % length] = sample + damped * feedback
            sum[index] += delayed * 0.25
        }
    }

    private func allPass(_ input: [Float], length: Int) -> [Float] {
        var line = [Float](repeating: 0, count: length)
        return input.enumerated().map { index, sample in
            let delayed = line[index % length]
            let stored = sample + delayed * 0.5
            line[index % length] = stored
            return delayed - stored * 0.5
        }
    }
}
