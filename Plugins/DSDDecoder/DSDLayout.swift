internal import Descant

/// Where the bits of a DSD file lie, and what they mean.
struct DSDLayout {
    /// In which order the bits of a byte follow each other in time.
    enum BitOrder: Hashable {
        case leastSignificantFirst
        case mostSignificantFirst
    }

    /// Bits per second and channel.
    var sampleRate: Int
    /// For each channel that is put out, in the order of WAVE files, its place in the file.
    var channelOrder: [Int]
    /// How many bits a channel has, as the header announces.
    var sampleCount: Int
    /// How many bytes of one channel follow each other before the next channel's.
    var blockSize: Int
    var bitOrder: BitOrder
    /// Where the first byte of sound lies.
    var dataOffset: Int
    /// How many bytes of sound there are in the file, of all channels together.
    var dataLength: Int

    var channels: Int { channelOrder.count }

    /// How many bytes of every channel the file has.
    var bytesPresent: Int {
        let group = blockSize * channels
        let begun = dataLength % group - (channels - 1) * blockSize
        return dataLength / group * blockSize + max(0, begun)
    }

    /// The multiple of 44.1 or 48 kHz that the rate is: 64, 128 or 256.
    ///
    /// - Parameter path: The file, for the error.
    /// - Throws: `CoreError.unsupported` for the higher rates that there are, `CoreError.decodeError` for any other.
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

    /// Refuses what no file can mean.
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
