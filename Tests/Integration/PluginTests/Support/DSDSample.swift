import Foundation

/// One-bit sound in memory, written as DSF and DFF files.
struct DSDSample {
    /// Bits per second and channel.
    var rate = 2_822_400
    /// The number of bits per channel.
    var count: Int
    /// The bytes of every channel, eight bits each, the earliest in the highest place.
    var channels: [[UInt8]]

    /// Sound of 64 × 44.1 kHz, or a multiple, that a modulator makes of tones.
    ///
    /// - Parameters:
    ///   - seconds: The length.
    ///   - tones: For every channel the frequency in Hz of a tone of the amplitude 0.4.
    init(rate: Int = 2_822_400, seconds: Double, tones: [Double]) {
        let count = Int((Double(rate) * seconds).rounded())
        self.rate = rate
        self.count = count
        channels = tones.map { hertz in
            var modulator = DSDModulator()
            return modulator.bits(count: count) { 0.4 * sin(2 * .pi * hertz / Double(rate) * (Double($0) + 0.5)) }
        }
    }

    /// Sound of given bytes.
    init(rate: Int = 2_822_400, channels: [[UInt8]]) {
        self.rate = rate
        self.channels = channels
        count = (channels.first?.count ?? 0) * 8
    }

    /// A DSF file.
    ///
    /// - Parameter leastSignificantFirst: Whether the earliest bit has the lowest place, as usual.
    func dsf(leastSignificantFirst: Bool = true) -> Data {
        let size = 4096
        let blocks = (channels[0].count + size - 1) / size
        var data = Data("DSD ".utf8) + little(28, 8) + little(92 + blocks * size * channels.count, 8) + little(0, 8)
        data += Data("fmt ".utf8) + little(52, 8) + little(1, 4) + little(0, 4)
        data += little([1, 2, 3, 4, 6, 7][channels.count - 1], 4) + little(channels.count, 4) + little(rate, 4)
        data += little(leastSignificantFirst ? 1 : 8, 4) + little(count, 8) + little(size, 4) + little(0, 4)
        data += Data("data".utf8) + little(12 + blocks * size * channels.count, 8)
        for block in 0..<blocks {
            for channel in channels {
                let bytes = channel[block * size..<min(channel.count, (block + 1) * size)]
                data += leastSignificantFirst ? Data(bytes.map { Self.reversed[Int($0)] }) : Data(bytes)
                data += Data(count: size - bytes.count)
            }
        }
        return data
    }

    /// A DFF file.
    ///
    /// - Parameters:
    ///   - order: The index of the channel for every channel of the file; the usual order if `nil`.
    ///   - compression: The name of the encoding in the file.
    ///   - extra: Chunks before the sound.
    func dff(order: [Int]? = nil, compression: String = "DSD ", extra: Data = Data()) -> Data {
        let order = order ?? Array(channels.indices)
        var names = order.map { ["SLFT", "SRGT", "C   ", "LFE ", "LS  ", "RS  "][$0] }
        if channels.count > 2 { names = names.map { ["SLFT": "MLFT", "SRGT": "MRGT"][$0] ?? $0 } }
        var properties = Data("SND ".utf8) + chunk("FS  ", big(rate, 4))
        properties += chunk("CHNL", big(channels.count, 2) + Data(names.joined().utf8))
        properties += chunk("CMPR", Data(compression.utf8) + Data([14]) + Data("not compressed".utf8))
        var sound = Data(capacity: channels.count * channels[0].count)
        for index in channels[0].indices { for channel in order { sound.append(channels[channel][index]) } }
        let body =
            Data("DSD ".utf8) + chunk("FVER", big(0x0105_0000, 4)) + chunk("PROP", properties) + extra
            + chunk(compression, sound)
        return chunk("FRM8", body)
    }

    /// A chunk of a DFF file.
    func chunk(_ name: String, _ body: Data) -> Data {
        Data(name.utf8) + big(body.count, 8) + body + Data(count: body.count % 2)
    }

    private func little(_ value: Int, _ size: Int) -> Data {
        Data((0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }

    private func big(_ value: Int, _ size: Int) -> Data { Data(little(value, size).reversed()) }

    /// Every byte with its bits reversed.
    private static let reversed = (0...UInt8.max).map { byte in
        (0..<8).reduce(UInt8(0)) { $0 << 1 | (byte >> UInt8($1) & 1) }
    }
}
