internal import Foundation

/// A discrete Fourier transform in place, for lengths that are powers of two: radix 2, decimation in time.
struct FourierTransform {
    var real: [Double]
    var imaginary: [Double]

    /// Zero-padded samples.
    init(_ samples: [Float], length: Int) {
        real = samples.map(Double.init) + [Double](repeating: 0, count: length - samples.count)
        imaginary = [Double](repeating: 0, count: length)
    }

    static func length(atLeast count: Int) -> Int {
        var length = 1
        while length < count { length *= 2 }
        return length
    }

    /// Transforms forward, or backward without dividing by the length.
    mutating func transform(inverse: Bool) {
        let count = real.count
        real.withUnsafeMutableBufferPointer { real in
            imaginary.withUnsafeMutableBufferPointer { imaginary in
                Self.reorder(real, imaginary)
                var span = 1
                while span < count {
                    Self.combine(real, imaginary, span: span, sign: inverse ? 1 : -1)
                    span *= 2
                }
            }
        }
    }

    /// Multiplies with the conjugate of another spectrum.
    mutating func multiplyByConjugate(of other: FourierTransform) {
        for bin in real.indices {
            let (a, b, c, d) = (real[bin], imaginary[bin], other.real[bin], -other.imaginary[bin])
            real[bin] = a * c - b * d
            imaginary[bin] = a * d + b * c
        }
    }

    private static func reorder(
        _ real: UnsafeMutableBufferPointer<Double>, _ imaginary: UnsafeMutableBufferPointer<Double>
    ) {
        var reversed = 0
        for index in 1..<max(1, real.count) {
            var bit = real.count >> 1
            while reversed & bit != 0 {
                reversed ^= bit
                bit >>= 1
            }
            reversed |= bit
            if index < reversed {
                real.swapAt(index, reversed)
                imaginary.swapAt(index, reversed)
            }
        }
    }

    private static func combine(
        _ real: UnsafeMutableBufferPointer<Double>, _ imaginary: UnsafeMutableBufferPointer<Double>, span: Int,
        sign: Double
    ) {
        for offset in 0..<span {
            let angle = sign * .pi * Double(offset) / Double(span)
            let (c, s) = (cos(angle), sin(angle))
            var first = offset
            while first < real.count {
                let second = first + span
                let x = real[second] * c - imaginary[second] * s
                let y = real[second] * s + imaginary[second] * c
                real[second] = real[first] - x
                imaginary[second] = imaginary[first] - y
                real[first] += x
                imaginary[first] += y
                first += 2 * span
            }
        }
    }
}
