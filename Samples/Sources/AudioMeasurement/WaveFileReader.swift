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
