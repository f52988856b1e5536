internal import Foundation
internal import Synchronization

/// A linear-phase low-pass filter over the bits of a DSD stream, eight at a time.
///
/// The taps are a sinc under a Kaiser window (J. F. Kaiser, "Nonrecursive digital filter design using the I0-sinh window
/// function", 1974) for a stop-band of 112 dB: flat to 20/44.1 of the stop-band's edge, and nothing above it that would
/// fold back. A byte of the stream has 256 values, so each group of eight taps becomes a table of 256 sums, and eight
/// products become one look-up.
final class DecimationFilter: Sendable {
    /// The number of bytes of the stream that an output frame depends on; half of them precede it.
    let byteCount: Int
    /// `byteCount` tables of 256 sums.
    private let tables: [Float]

    private struct Key: Hashable {
        var period: Int
        var bitOrder: DSDLayout.BitOrder
    }

    private static let known = Mutex<[Key: DecimationFilter]>([:])

    /// The filter for a stop-band that begins at a rate of `1 / (2 × period)` of the bits'.
    static func shared(period: Int, bitOrder: DSDLayout.BitOrder) -> DecimationFilter {
        known.withLock { known in
            let key = Key(period: period, bitOrder: bitOrder)
            if let filter = known[key] { return filter }
            let filter = DecimationFilter(taps: taps(period: period), bitOrder: bitOrder)
            known[key] = filter
            return filter
        }
    }

    private init(taps: [Double], bitOrder: DSDLayout.BitOrder) {
        byteCount = taps.count / 8
        tables = stride(from: 0, to: taps.count, by: 8).flatMap { first in
            (0..<256).map { value in
                Float(
                    (0..<8).reduce(0.0) { sum, place in
                        let bit = bitOrder == .leastSignificantFirst ? value >> place & 1 : value >> (7 - place) & 1
                        return bit == 1 ? sum + taps[first + place] : sum - taps[first + place]
                    })
            }
        }
    }

    /// Filters a channel.
    ///
    /// - Parameters:
    ///   - bytes: The channel's bytes from `start` on; bytes outside count as 0.
    ///   - start: The index of the first byte in the channel.
    ///   - frames: The output frames to compute.
    ///   - step: Bytes from one output frame to the next.
    ///   - output: The address of the first frame's sample.
    ///   - stride: The distance of two frames in the output, in samples.
    func apply(
        _ bytes: [UInt8], from start: Int, frames: Range<Int>, step: Int, to output: UnsafeMutablePointer<Float>,
        stride: Int
    ) {
        bytes.withUnsafeBufferPointer { bytes in
            tables.withUnsafeBufferPointer { tables in
                var place = output
                for frame in frames {
                    let first = frame * step - byteCount / 2 - start
                    place.pointee = Self.sum(tables, bytes, at: first, byteCount)
                    place += stride
                }
            }
        }
    }

    @inline(__always)
    private static func sum(
        _ tables: UnsafeBufferPointer<Float>, _ bytes: UnsafeBufferPointer<UInt8>, at first: Int, _ byteCount: Int
    ) -> Float {
        guard let table = tables.baseAddress, let byte = bytes.baseAddress else { return 0 }
        var index = max(0, -first)
        let end = min(byteCount, bytes.count - first)
        // Four sums side by side: an addition need not wait for the one before it.
        var (one, two, three, four) = (Float(0), Float(0), Float(0), Float(0))
        while index + 4 <= end {
            let entry = table + index &* 256
            let data = byte + (first &+ index)
            one += entry[Int(data[0])]
            two += entry[256 &+ Int(data[1])]
            three += entry[512 &+ Int(data[2])]
            four += entry[768 &+ Int(data[3])]
            index &+= 4
        }
        while index < end {
            one += table[index &* 256 &+ Int(byte[first &+ index])]
            index &+= 1
        }
        return (one + two) + (three + four)
    }
}

/// The taps.
extension DecimationFilter {
    private static let attenuation = 112.0

    /// An even number of taps, a multiple of 16, whose sum is 1.
    private static func taps(period: Int) -> [Double] {
        let stop = 0.5 / Double(period)
        let pass = stop * 20 / 44.1
        let needed = (attenuation - 7.95) / (14.36 * (stop - pass)) + 1
        let count = (Int(needed) / 16 + 1) * 16
        let beta = 0.1102 * (attenuation - 8.7)
        let taps = (0..<count).map { index in
            // The centre lies between two bits: at the moment where the second one begins.
            let time = Double(index) - Double(count - 1) / 2
            let edge = 2 * time / Double(count)
            let angle = Double.pi * (pass + stop) * time
            return sin(angle) / angle * bessel(beta * (1 - edge * edge).squareRoot())
        }
        let sum = taps.reduce(0, +)
        return taps.map { $0 / sum }
    }

    /// The modified Bessel function of the first kind and order 0, by its power series.
    private static func bessel(_ x: Double) -> Double {
        var (sum, term, index) = (1.0, 1.0, 1.0)
        while term > sum * 1e-17 {
            term *= (x / (2 * index)) * (x / (2 * index))
            sum += term
            index += 1
        }
        return sum
    }
}
