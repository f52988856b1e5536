internal import Foundation

/// The spectrum of a sound for displays: the power in bands that are equally wide on a logarithmic scale.
///
/// A window of Hann over the last 80 to 170 ms of all channels together, and a Fourier transform of it (radix 2, Cooley and Tukey). A sine
/// of full scale has 0 dB, pink noise has the same level in all bands.
public struct SpectrumAnalyzer: Sendable {
    /// The number of bands.
    public static let bandCount = 64
    /// The lower edge of the first band and the upper edge of the last one, in Hz.
    public static let range = 40.0...18_000.0
    /// The level of silence, in dB.
    public static let floor: Float = -120
    /// How fast a level falls at most, in dB a second, so that the eye can follow.
    public static let fall: Float = 60

    private let channels: Int
    private let size: Int
    private let window: [Float]
    /// cos and -sin of the first half of a turn, in `size` / 2 steps.
    private let turns: [(real: Float, imaginary: Float)]
    /// Each index with its bits in reverse, the order that the transform begins with.
    private let order: [Int]
    /// The bins of each band, with the share of each that lies in the band.
    private let bands: [[(bin: Int, share: Float)]]
    /// The factor from the squares of the transform to the power of a sine of full scale.
    private let scale: Float
    /// The last `size` frames, as a ring.
    private var recent: [Float]
    private var next = 0
    private var levels = [Float](repeating: Self.floor, count: Self.bandCount)

    /// Creates an analyser.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames per second, 1 or more.
    ///   - channels: Channels of a frame, 1 or more.
    public init(sampleRate: Int, channels: Int) {
        self.channels = max(1, channels)
        var size = 64
        while size < sampleRate / 12 { size *= 2 }
        self.size = size
        window = (0..<size).map { Float(0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(size))) }
        turns = (0..<size / 2).map { index in
            let angle = 2 * Double.pi * Double(index) / Double(size)
            return (Float(cos(angle)), Float(-sin(angle)))
        }
        var order = [Int](repeating: 0, count: size)
        for index in 1..<size { order[index] = order[index / 2] / 2 + (index % 2) * size / 2 }
        self.order = order
        // Half of the power of a sine is at its negative frequency (Parseval's theorem).
        scale = 4 / (Float(size) * window.reduce(0) { $0 + $1 * $1 })
        recent = [Float](repeating: 0, count: size)
        let width = Double(max(1, sampleRate)) / Double(size)
        bands = (0..<Self.bandCount).map { Self.bins(of: $0, width: width, count: size / 2) }
    }

    /// The lower edge of a band in Hz; that of the band behind the last one is the upper edge of the last one.
    public static func edge(_ band: Int) -> Double {
        range.lowerBound * pow(range.upperBound / range.lowerBound, Double(band) / Double(bandCount))
    }

    /// - Parameters:
    ///   - width: The width of a bin in Hz.
    ///   - count: The number of bins.
    private static func bins(of band: Int, width: Double, count: Int) -> [(bin: Int, share: Float)] {
        let (low, high) = (edge(band) / width, edge(band + 1) / width)
        let last = min(count - 1, Int((high + 0.5).rounded(.down)))
        let first = Int((low + 0.5).rounded(.down))
        guard first <= last else { return [] }
        return (first...last).map { bin in
            (bin, Float(max(0, min(high, Double(bin) + 0.5) - max(low, Double(bin) - 0.5))))
        }
    }

    /// Adds sound.
    ///
    /// - Parameter samples: Interleaved samples.
    public mutating func add(_ samples: [Float]) {
        for start in stride(from: 0, to: samples.count - channels + 1, by: channels) {
            var sum: Float = 0
            for channel in 0..<channels { sum += samples[start + channel] }
            // Far beyond full scale, and far from where a square is not finite.
            recent[next] = sum.isNaN ? 0 : min(8, max(-8, sum / Float(channels)))
            next = (next + 1) % size
        }
    }

    /// Returns the level of each band in dB, from the lowest up.
    ///
    /// - Parameter seconds: The time since the last call, which limits how far levels fall.
    public mutating func bandLevels(after seconds: Double) -> [Float] {
        let power = powers()
        let lowest = Self.fall * Float(max(0, seconds))
        for band in bands.indices {
            let sum = bands[band].reduce(Float(0)) { $0 + power[$1.bin] * $1.share }
            let level = max(Self.floor, 10 * log10(sum * scale))
            levels[band] = max(level, levels[band] - lowest)
        }
        return levels
    }

    /// The squares of the transform's magnitudes.
    private func powers() -> [Float] {
        var real = [Float](repeating: 0, count: size)
        var imaginary = real
        for index in 0..<size { real[order[index]] = recent[(next + index) % size] * window[index] }
        var half = 1
        while half < size {
            let step = size / (2 * half)
            for start in stride(from: 0, to: size, by: 2 * half) {
                for offset in 0..<half {
                    let turn = turns[offset * step]
                    let (low, high) = (start + offset, start + offset + half)
                    let turnedReal = real[high] * turn.real - imaginary[high] * turn.imaginary
                    let turnedImaginary = real[high] * turn.imaginary + imaginary[high] * turn.real
                    (real[high], imaginary[high]) = (real[low] - turnedReal, imaginary[low] - turnedImaginary)
                    real[low] += turnedReal
                    imaginary[low] += turnedImaginary
                }
            }
            half *= 2
        }
        return (0..<size / 2).map { real[$0] * real[$0] + imaginary[$0] * imaginary[$0] }
    }
}
