import Descant
import DescantTesting
import Foundation

/// The impulse response of a DSD decoder, measured on its output, and the frequency response.
///
/// Two files differ in single bits, far apart and at every offset between two frames. The difference of their output is the
/// impulse response.
struct DecimationResponse {
    /// Bits per second.
    let rate: Int
    /// Bits from one frame to the next.
    let ratio: Int
    /// The response to one bit, by bits from the bit to the frame, from `-reach` on.
    let impulse: [Double]
    /// The maximum measured distance of a bit.
    let reach: Int

    init(rate: Int, ratio: Int, directory: TemporaryDirectory, decoder: any DecoderPort) throws {
        self.rate = rate
        self.ratio = ratio
        reach = 16 * max(32, ratio)
        let spacing = 2 * reach
        let places = (0..<ratio).map { (($0 + 1) * spacing) + $0 }
        let plain = [UInt8](repeating: 0x69, count: (ratio + 2) * spacing / 8)
        var flipped = plain
        for place in places { flipped[place / 8] ^= 0x80 >> UInt8(place % 8) }
        let name = "impulses-\(rate)-\(ratio).dff"
        let rendered = try [plain, flipped].map { bytes in
            let file = try directory.write(DSDSample(rate: rate, channels: [bytes]).dff(), to: name)
            return try StreamReader(decoder, file).readAll()
        }
        var impulse = [Double](repeating: 0, count: 2 * reach)
        for place in places {
            let change: Double = plain[place / 8] & (0x80 >> UInt8(place % 8)) == 0 ? 2 : -2
            let first = (place - reach + ratio - 1) / ratio
            for frame in first..<(place + reach + ratio - 1) / ratio {
                let difference = Double(rendered[1][frame]) - Double(rendered[0][frame])
                impulse[frame * ratio - place + reach] = difference / change
            }
        }
        self.impulse = impulse
    }

    /// The gain at a frequency, in decibels.
    func decibels(at hertz: Double) -> Double {
        let step = 2 * Double.pi * hertz / Double(rate)
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in impulse.enumerated() where sample != 0 {
            real += sample * cos(step * Double(index))
            imaginary += sample * sin(step * Double(index))
        }
        return 20 * log10(max(1e-12, hypot(real, imaginary)))
    }

    /// The frames of a channel by plain convolution; bits outside count as 0.
    func convolve(_ channel: [UInt8], count: Int) -> [Float] {
        (0..<(count + ratio - 1) / ratio).map { frame in
            var sum = 0.0
            for bit in max(0, frame * ratio - reach + 1)..<min(count, frame * ratio + reach) {
                let weight = impulse[frame * ratio - bit + reach]
                sum += channel[bit / 8] & (0x80 >> UInt8(bit % 8)) != 0 ? weight : -weight
            }
            return Float(sum)
        }
    }
}
