internal import Foundation

extension WaveFileReader {
    struct Header {
        var sampleRate = 0
        var channels = 0
        var sampleFormat = WaveSampleFormat.float32
        var dataOffset: UInt64 = 0
        var dataBytes: Int64 = 0
    }

    /// Walks the RIFF chunks up to the data.
    static func readHeader(_ file: FileHandle, path: String) throws -> Header {
        let size = try file.seekToEnd()
        try file.seek(toOffset: 0)
        let riff = try file.read(upToCount: 12) ?? Data()
        guard riff.count == 12, riff.prefix(4) == Data("RIFF".utf8), riff.suffix(4) == Data("WAVE".utf8) else {
            throw WaveFileError.format(path: path, message: "it does not begin with a RIFF/WAVE header")
        }
        var header = Header()
        var offset: UInt64 = 12
        while offset + 8 <= size {
            try file.seek(toOffset: offset)
            let chunk = try file.read(upToCount: 8) ?? Data()
            guard chunk.count == 8 else { break }
            let length = UInt64(little(chunk, at: 4, bytes: 4))
            let name = chunk.prefix(4)
            if name == Data("fmt ".utf8) {
                try parseFormat(try file.read(upToCount: Int(min(length, 64))) ?? Data(), into: &header, path: path)
            } else if name == Data("data".utf8) {
                guard header.channels > 0 else {
                    throw WaveFileError.format(path: path, message: "data precede the format")
                }
                header.dataOffset = offset + 8
                let rest = size - header.dataOffset
                header.dataBytes = Int64(length == 0 || length == 0xFFFF_FFFF ? rest : min(length, rest))
                return header
            }
            offset += 8 + length + length % 2
        }
        throw WaveFileError.format(path: path, message: "it has no data chunk")
    }

    private static func parseFormat(_ data: Data, into header: inout Header, path: String) throws {
        guard data.count >= 16 else { throw WaveFileError.format(path: path, message: "its format chunk is too short") }
        var tag = little(data, at: 0, bytes: 2)
        header.channels = little(data, at: 2, bytes: 2)
        header.sampleRate = little(data, at: 4, bytes: 4)
        let bits = little(data, at: 14, bytes: 2)
        // WAVE_FORMAT_EXTENSIBLE keeps the true tag in the first two bytes of its GUID.
        if tag == 0xFFFE, data.count >= 26 { tag = little(data, at: 24, bytes: 2) }
        switch (tag, bits) {
        case (1, 16), (1, 24), (1, 32): header.sampleFormat = .integer(bits: bits)
        case (3, 32): header.sampleFormat = .float32
        default: throw WaveFileError.format(path: path, message: "encoding \(tag) with \(bits) bits is not known here")
        }
        guard (1...8).contains(header.channels), header.sampleRate > 0 else {
            throw WaveFileError.format(
                path: path, message: "\(header.channels) channels at \(header.sampleRate) Hz are not possible")
        }
    }

    private static func little(_ data: Data, at offset: Int, bytes: Int) -> Int {
        (0..<bytes).reduce(0) { $0 | Int(data[data.startIndex + offset + $1]) << (8 * $1) }
    }
}
