internal import Descant

/// The layout of the sound in a DSD file.
struct DSDLayout {
    /// The order of the bits of a byte in time.
    enum BitOrder: Hashable {
        case leastSignificantFirst
        case mostSignificantFirst
    }

    /// Bits per second and channel.
    var sampleRate: Int
    /// The index in the file of each output channel, in the order of WAVE files.
    var channelOrder: [Int]
    /// The number of bits of each channel, as the header announces.
    var sampleCount: Int
    /// The number of consecutive bytes of one channel.
    var blockSize: Int
    var bitOrder: BitOrder
    /// The offset of the first byte of sound.
    var dataOffset: Int
    /// The number of bytes of sound in the file, all channels together.
    var dataLength: Int

    var channels: Int { channelOrder.count }

    /// The number of bytes of each channel.
    var bytesPresent: Int {
        let group = blockSize * channels
        let begun = dataLength % group - (channels - 1) * blockSize
        return dataLength / group * blockSize + max(0, begun)
    }

    /// The rate as a multiple of 44.1 or 48 kHz: 64, 128 or 256.
    ///
    /// - Parameter path: The file, for the error.
    /// - Throws: `CoreError.unsupported` for higher DSD rates, `CoreError.decodeError` for any other.
    func rateMultiple(of path: String) throws -> Int {
        let multiples = [44_100, 48_000].filter { sampleRate.isMultiple(of: $0) }.map { sampleRate / $0 }
        if let multiple = multiples.first(where: [64, 128, 256].contains) { return multiple }
        guard multiples.contains(where: [512, 1_024].contains) else {
            throw CoreError.decodeError(
                "\(path): the DSD header is damaged (\(sampleRate) bits per second and channel)")
        }
        throw CoreError.unsupported(
            "\(path) has \(sampleRate) bits per second and channel; DSD64, DSD128 and DSD256 of 44.1 or 48 kHz can be decoded"
        )
    }

    /// Throws for invalid values.
    ///
    /// - Parameter path: The file, for the error.
    func validate(of path: String) throws {
        guard (1...6).contains(channels) else {
            let text = "\(path) has \(channels) channels; 1 to 6 can be decoded"
            throw channels == 7 || channels == 8 ? CoreError.unsupported(text) : CoreError.decodeError(text)
        }
        guard (1...1 << 20).contains(blockSize), sampleCount >= 0, sampleCount < 1 << 40 else {
            throw CoreError.decodeError("\(path): the DSD header is damaged (its blocks or its length are impossible)")
        }
        _ = try rateMultiple(of: path)
    }
}

/// Reads numbers and marks from the bytes of a header; returns `nil` beyond the end.
struct HeaderBytes {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    /// Four characters such as "DSD ".
    func mark(at offset: Int) -> String? {
        guard let field = field(at: offset, count: 4), field.allSatisfy({ (0x20..<0x7f).contains($0) }) else {
            return nil
        }
        return String(decoding: field, as: UTF8.self)
    }

    /// A little-endian integer; `nil` also when it does not fit.
    func littleEndian(at offset: Int, count: Int) -> Int? {
        field(at: offset, count: count).flatMap {
            Int(exactly: $0.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
    }

    /// A big-endian integer; `nil` also when it does not fit.
    func bigEndian(at offset: Int, count: Int) -> Int? {
        field(at: offset, count: count).flatMap { Int(exactly: $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) }
    }

    private func field(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        return bytes[offset..<offset + count]
    }
}
