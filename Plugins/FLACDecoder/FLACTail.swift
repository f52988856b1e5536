/// Finds the last block of a FLAC file by its header, without decoding (RFC 9639, section 9.1).
struct FLACTail {
    let sampleRate: Int
    let channels: Int
    /// Frames of the first block: where all blocks have one size, blocks are numbered and not frames.
    let firstBlockSize: Int

    /// The number of the frame behind the last block.
    ///
    /// - Parameter bytes: The end of the file.
    /// - Returns: `nil` when no header is found.
    func endOfLastBlock(in bytes: [UInt8]) -> Int64? {
        var place = bytes.count - 6
        while place >= 0 {
            if bytes[place] == 0xff, bytes[place + 1] & 0xfe == 0xf8, let end = end(of: bytes[place...]) { return end }
            place -= 1
        }
        return nil
    }

    private func end(of bytes: ArraySlice<UInt8>) -> Int64? {
        var reader = bytes.makeIterator()
        var header: [UInt8] = []
        func next() -> UInt8? {
            guard let byte = reader.next() else { return nil }
            header.append(byte)
            return byte
        }
        guard next() != nil, let blocking = next(), let sizes = next(), let shape = next(), shape & 1 == 0 else {
            return nil
        }
        guard isOurs(rateCode: sizes & 15, channelCode: shape >> 4), let lead = next() else { return nil }
        var number = Int64(lead)
        if lead >= 0x80 {
            let length = (~lead).leadingZeroBitCount
            guard (2...7).contains(length) else { return nil }
            number &= 0x7f >> Int64(length)
            for _ in 1..<length {
                guard let byte = next(), byte & 0xc0 == 0x80 else { return nil }
                number = number << 6 | Int64(byte & 0x3f)
            }
        }
        guard let size = blockSize(sizes >> 4, next) else { return nil }
        for _ in 0..<[12: 1, 13: 2, 14: 2][sizes & 15, default: 0] where next() == nil { return nil }
        let sum = checksum(header)
        guard let byte = next(), byte == sum else { return nil }
        return (blocking & 1 == 1 ? number : number * Int64(firstBlockSize)) + Int64(size)
    }

    private func isOurs(rateCode: UInt8, channelCode: UInt8) -> Bool {
        let rates = [
            1: 88_200, 2: 176_400, 3: 192_000, 4: 8_000, 5: 16_000, 6: 22_050, 7: 24_000, 8: 32_000, 9: 44_100,
            10: 48_000,
            11: 96_000,
        ]
        guard rateCode != 15, channelCode <= 10, channels == (channelCode < 8 ? Int(channelCode) + 1 : 2) else {
            return false
        }
        return rates[Int(rateCode), default: sampleRate] == sampleRate
    }

    private func blockSize(_ code: UInt8, _ next: () -> UInt8?) -> Int? {
        switch code {
        case 1: return 192
        case 2...5: return 576 << Int(code - 2)
        case 6: return next().map { Int($0) + 1 }
        case 7:
            guard let high = next(), let low = next() else { return nil }
            return (Int(high) << 8 | Int(low)) + 1
        case 8...15: return 256 << Int(code - 8)
        default: return nil
        }
    }

    private func checksum(_ bytes: [UInt8]) -> UInt8 {
        bytes.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ byte) { value, _ in value & 0x80 != 0 ? value << 1 ^ 0x07 : value << 1 }
        }
    }
}
