internal import Foundation

/// The amplitude and phase of a tone within a stretch of samples, by least squares.
public struct ToneFit: Sendable, Hashable {
    /// The tone's frequency in Hz.
    public var frequency: Double
    /// The peak, linear.
    public var amplitude: Double
    /// The phase at frame 0 of the rendering (not of the stretch), in radians, -π…π.
    public var phase: Double

    /// Fits a tone of known frequency.
    ///
    /// - Parameters:
    ///   - frequency: In Hz.
    ///   - samples: One channel of a rendering.
    ///   - frames: The stretch to fit; clamped to the samples.
    ///   - sampleRate: In Hz.
    public init(frequency: Double, in samples: [Float], frames: Range<Int>, sampleRate: Int) {
        let range = frames.clamped(to: 0..<samples.count)
        let step = 2 * Double.pi * frequency / Double(sampleRate)
        var (ss, sc, cc, xs, xc) = (0.0, 0.0, 0.0, 0.0, 0.0)
        samples.withUnsafeBufferPointer { samples in
            for frame in range {
                let s = sin(step * Double(frame))
                let c = cos(step * Double(frame))
                let x = Double(samples[frame])
                ss += s * s
                sc += s * c
                cc += c * c
                xs += x * s
                xc += x * c
            }
        }
        let determinant = ss * cc - sc * sc
        let sine = determinant > 0 ? (xs * cc - xc * sc) / determinant : 0
        let cosine = determinant > 0 ? (xc * ss - xs * sc) / determinant : 0
        self.frequency = frequency
        amplitude = hypot(sine, cosine)
        phase = atan2(cosine, sine)
    }

    /// The fitted tone's sample at a frame.
    ///
    /// - Parameters:
    ///   - frame: A frame of the rendering.
    ///   - sampleRate: In Hz.
    public func sample(at frame: Int, sampleRate: Int) -> Double {
        amplitude * sin(phase + 2 * .pi * frequency / Double(sampleRate) * Double(frame))
    }
}
