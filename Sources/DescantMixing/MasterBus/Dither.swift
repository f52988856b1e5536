/// Dither: rounds samples to the steps of 16- or 24-bit integers with triangular noise of ±1 step, so that the rounding
/// error is independent of the signal.
///
/// Samples that lie on a step stay as they are: material of that many bits at unity gain passes bit for bit. The noise
/// begins with the first sample between two steps and ends when every sample has been on a step for 100 ms, so that it
/// does not switch with single samples. The noise is the same in every render.
package struct Dither: Sendable {
    private let steps: SampleSteps
    private let channels: Int
    private let hold: Int
    /// The frames of noise that are left.
    private var remaining = 0
    private var noise: DitherNoise

    /// - Parameters:
    ///   - bits: Bits of a sample, 2…24.
    ///   - sampleRate: Frames per second.
    ///   - channels: Channels of a frame.
    package init(bits: Int, sampleRate: Int, channels: Int) {
        steps = SampleSteps(bits: bits)
        hold = max(1, sampleRate / 10)
        self.channels = channels
        noise = DitherNoise(channels: channels)
    }

    /// Whether silence would pass unchanged.
    package var isIdle: Bool { remaining == 0 }

    /// Rounds a block in place, where a sample lies between two steps or one did within the last 100 ms.
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        var done = 0
        while done < frames {
            let start = samples + done * channels
            if remaining == 0 {
                let waiting = frames - done
                done += (0..<waiting).first { !steps.contain(start + $0 * channels, count: channels) } ?? waiting
                remaining = done < frames ? hold + 1 : 0
                continue
            }
            let count = min(frames - done, remaining, noise.frames)
            let inexact = (0..<count).last { !steps.contain(start + $0 * channels, count: channels) }
            remaining = inexact.map { hold - (count - 1 - $0) } ?? remaining - count
            noise.take(frames: count) { [steps, channels] in
                steps.round(start, adding: $0, count: count * channels)
            }
            done += count
        }
    }
}

/// The values that a sample of some bits can have.
private struct SampleSteps {
    /// Steps from 0 to full scale.
    private let scale: Double
    private let size: Double

    init(bits: Int) {
        scale = Double(1 << (bits - 1))
        size = 1 / scale
    }

    /// Whether all samples lie on steps.
    func contain(_ samples: UnsafePointer<Float>, count: Int) -> Bool {
        for index in 0..<count where Self.nearestInteger(inSteps(samples[index])) != inSteps(samples[index]) {
            return false
        }
        return true
    }

    /// Rounds samples in place to steps within full scale.
    ///
    /// - Parameter noise: What is added to each sample before, in steps.
    func round(_ samples: UnsafeMutablePointer<Float>, adding noise: UnsafePointer<Float>, count: Int) {
        for index in 0..<count {
            let steps = Self.nearestInteger(inSteps(samples[index]) + Double(noise[index]))
            // Steps of up to 24 bits are whole numbers in a Float.
            samples[index] = Float(max(-scale, min(scale - 1, steps)) * size)
        }
    }

    /// In Double: a Float has no bits for noise below a 24-bit sample. Scaling by a power of two is exact.
    private func inSteps(_ sample: Float) -> Double { Double(sample) * scale }

    /// Rounds to the nearest integer, to the even one of two; for numbers below 2⁵¹, the others are full scale anyway.
    ///
    /// A Double has no bits for a fraction beside 1.5 × 2⁵². `rounded()` is a call of the mathematics library on processors that
    /// are only known to have SSE2, and takes longer than everything else here.
    private static func nearestInteger(_ number: Double) -> Double { (number + 0x1.8p52) - 0x1.8p52 }
}

/// Triangular noise of ±1 step: differences of two uniform numbers of 16 bits. Made in stretches, by eight generators beside each other.
private struct DitherNoise {
    private static let stretch = 512

    private let channels: Int
    private var numbers: [Float]
    /// The frame that is taken next.
    private var head: Int
    /// The states of eight generators, none of which is 0: the upper halves of SplitMix64's first numbers.
    private var state = SIMD8<UInt32>(
        0xE220_A839, 0x6E78_9E6A, 0x06C4_5D18, 0xF88B_B8A8, 0x1B39_896A, 0x53CB_9F0C, 0x2C82_9ABE, 0xC584_133A)

    init(channels: Int) {
        self.channels = channels
        numbers = [Float](repeating: 0, count: Self.stretch * channels)
        head = Self.stretch
    }

    /// The frames that can be taken at once.
    var frames: Int { head < Self.stretch ? Self.stretch - head : Self.stretch }

    /// Passes the noise of up to ``frames`` frames to a closure.
    mutating func take(frames: Int, _ body: (UnsafePointer<Float>) -> Void) {
        if head == Self.stretch { refill() }
        numbers.withUnsafeBufferPointer { memory in
            if let base = memory.baseAddress { body(base + head * channels) }
        }
        head += frames
    }

    private mutating func refill() {
        head = 0
        var state = state
        numbers.withUnsafeMutableBytes { memory in
            for offset in stride(from: 0, to: memory.count, by: MemoryLayout<SIMD8<Float>>.size) {
                // Xorshift of 32 bits, by George Marsaglia.
                state ^= state &<< 13
                state ^= state &>> 17
                state ^= state &<< 5
                let difference =
                    SIMD8<Int32>(truncatingIfNeeded: state &>> 16)
                    &- SIMD8<Int32>(truncatingIfNeeded: state & 0xFFFF)
                memory.storeBytes(of: SIMD8<Float>(difference) * 0x1p-16, toByteOffset: offset, as: SIMD8<Float>.self)
            }
        }
        self.state = state
    }
}
