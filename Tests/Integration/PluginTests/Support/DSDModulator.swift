import Foundation

/// Turns samples into one-bit sound: a sigma-delta modulator of the fifth order in error-feedback form.
///
/// Its noise transfer function is a Butterworth high-pass of the maximum gain that Lee's rule allows a one-bit quantiser,
/// 1.5 (Schreier and Temes, "Understanding Delta-Sigma Data Converters").
struct DSDModulator {
    /// The weights of the last errors and outputs.
    private let zeros: [Double]
    private let poles: [Double]
    private var errors = [Double](repeating: 0, count: 5)
    private var shaped = [Double](repeating: 0, count: 5)

    init() {
        zeros = Self.polynomial(ofRoots: [Complex](repeating: Complex(1, 0), count: 5))
        var (low, high) = (1e-4, 1.0)
        for _ in 0..<60 {
            let edge = (low + high) / 2
            if Self.gain(of: Self.poles(edge: edge)) > 1.5 { high = edge } else { low = edge }
        }
        poles = Self.polynomial(ofRoots: Self.poles(edge: low))
    }

    /// Modulates samples of -0.5…0.5 at the rate of the bits; eight bits a byte, the earliest in the highest place.
    mutating func bits(count: Int, _ sample: (Int) -> Double) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
        for index in 0..<count {
            // The filtered errors: (zeros/poles - 1) × error.
            var feedback = 0.0
            for tap in 0..<5 { feedback += zeros[tap] * errors[tap] - poles[tap] * shaped[tap] }
            let wanted = sample(index) - (feedback.isFinite ? feedback : 0)
            let bit = wanted >= 0 ? 1.0 : -1.0
            let error = wanted - bit
            for tap in stride(from: 4, to: 0, by: -1) {
                errors[tap] = errors[tap - 1]
                shaped[tap] = shaped[tap - 1]
            }
            errors[0] = error
            shaped[0] = error + feedback
            if bit > 0 { bytes[index / 8] |= 0x80 >> UInt8(index % 8) }
        }
        return bytes
    }
}

/// The noise transfer function.
extension DSDModulator {
    private struct Complex {
        var real, imaginary: Double

        init(_ real: Double, _ imaginary: Double) { (self.real, self.imaginary) = (real, imaginary) }

        static func * (lhs: Complex, rhs: Complex) -> Complex {
            Complex(
                lhs.real * rhs.real - lhs.imaginary * rhs.imaginary, lhs.real * rhs.imaginary + lhs.imaginary * rhs.real
            )
        }

        static func / (lhs: Complex, rhs: Complex) -> Complex {
            let size = rhs.real * rhs.real + rhs.imaginary * rhs.imaginary
            let product = lhs * Complex(rhs.real, -rhs.imaginary)
            return Complex(product.real / size, product.imaginary / size)
        }

        var magnitude: Double { hypot(real, imaginary) }
    }

    /// The poles of a Butterworth high-pass with its edge at a share of π, by the bilinear transform.
    private static func poles(edge: Double) -> [Complex] {
        (0..<5).map { index in
            let angle = Double.pi * Double(2 * index + 6) / 10
            let analog = Complex(tan(.pi * edge / 2), 0) / Complex(cos(angle), sin(angle))
            return Complex(1 + analog.real, analog.imaginary) / Complex(1 - analog.real, -analog.imaginary)
        }
    }

    /// The gain at half the rate of five zeros at 1 over these poles.
    private static func gain(of poles: [Complex]) -> Double {
        poles.reduce(1) { $0 * 2 / Complex(1 + $1.real, $1.imaginary).magnitude }
    }

    /// The factors of z⁻¹…z⁻⁵.
    private static func polynomial(ofRoots roots: [Complex]) -> [Double] {
        var factors = [Complex(1, 0)]
        for root in roots {
            let shifted = [Complex(0, 0)] + factors.map { $0 * root }
            factors = (factors + [Complex(0, 0)]).enumerated().map { index, factor in
                Complex(factor.real - shifted[index].real, factor.imaginary - shifted[index].imaginary)
            }
        }
        return factors.dropFirst().map(\.real)
    }
}
