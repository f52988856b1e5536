public import Foundation

/// Reads PCM from a WAVE file, block by block: what measurements of a rendered file need.
///
/// Knows 16, 24 and 32 bit integers and 32 bit floating point, also behind WAVE_FORMAT_EXTENSIBLE. A data chunk without a
/// usable length (0 or 0xFFFFFFFF, as streaming writers leave it) reaches to the end of the file.
public final class WaveFileReader {
    /// Frames per second, in Hz.
    public let sampleRate: Int
    /// Samples per frame.
    public let channels: Int
    /// How samples are stored.
    public let sampleFormat: WaveSampleFormat
    /// Frames in the file.
    public let frameCount: Int64

    private let path: String
    private let file: FileHandle
    private var framesLeft: Int64

    /// Opens a file and reads its header.
    ///
    /// - Parameter url: A file URL.
    /// - Throws: ``WaveFileError``.
    public init(url: URL) throws {
        path = url.path
        do {
            file = try FileHandle(forReadingFrom: url)
            let header = try Self.readHeader(file, path: url.path)
            sampleRate = header.sampleRate
            channels = header.channels
            sampleFormat = header.sampleFormat
            frameCount = header.dataBytes / Int64(header.channels * header.sampleFormat.bytes)
            framesLeft = frameCount
            try file.seek(toOffset: header.dataOffset)
        } catch let error as WaveFileError {
            throw error
        } catch {
            throw WaveFileError.inputOutput(path: url.path, message: error.localizedDescription)
        }
    }

    deinit { file.closeFile() }

    /// Reads the next frames.
    ///
    /// - Parameter maxFrames: The maximum number of frames to read; greater than 0.
    /// - Returns: Interleaved samples, full scale ±1; empty at the end.
    /// - Throws: ``WaveFileError``.
    public func read(maxFrames: Int) throws -> [Float] {
        let frames = Int(min(Int64(maxFrames), framesLeft))
        guard frames > 0 else { return [] }
        let bytesPerFrame = channels * sampleFormat.bytes
        let data: Data
        do {
            data = try file.read(upToCount: frames * bytesPerFrame) ?? Data()
        } catch {
            throw WaveFileError.inputOutput(path: path, message: error.localizedDescription)
        }
        let got = data.count / bytesPerFrame
        framesLeft = got < frames ? 0 : framesLeft - Int64(got)
        return Self.decode(data.prefix(got * bytesPerFrame), as: sampleFormat)
    }

    /// Reads everything that is left.
    ///
    /// - Returns: Interleaved samples, full scale ±1.
    /// - Throws: ``WaveFileError``.
    public func readAll() throws -> [Float] {
        var samples: [Float] = []
        samples.reserveCapacity(Int(framesLeft) * channels)
        while true {
            let block = try read(maxFrames: 1 << 16)
            if block.isEmpty { return samples }
            samples.append(contentsOf: block)
        }
    }

    static func decode(_ data: Data, as format: WaveSampleFormat) -> [Float] {
        data.withUnsafeBytes { raw in
            let count = raw.count / format.bytes
            return (0..<count).map { index in
                let offset = index * format.bytes
                switch format {
                case .float32:
                    return Float(
                        bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
                case .integer(let bits):
                    // Placed at the top of 32 bits, the sign comes out right for every width.
                    var value: UInt32 = 0
                    for byte in 0..<format.bytes { value |= UInt32(raw[offset + byte]) << UInt32(32 - bits + 8 * byte) }
                    return Float(Int32(bitPattern: value)) / 2_147_483_648
                }
            }
        }
    }
}

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
