public import Foundation
internal import DescantCore

/// A RIFF/WAVE file in memory: reads what audio tools write, writes the encodings that fixtures need.
public struct WAVFile: Sendable, Hashable {
    /// How samples are stored.
    public enum Encoding: String, Sendable, Hashable, CaseIterable {
        /// 16-bit integers.
        case int16
        /// 24-bit integers.
        case int24
        /// 32-bit integers; reading rounds them to the 24 bits of a `Float`.
        case int32
        /// 32-bit floating point.
        case float32

        /// Bytes of one sample.
        public var bytesPerSample: Int {
            switch self {
            case .int16: 2
            case .int24: 3
            case .int32, .float32: 4
            }
        }
    }

    /// How samples are stored.
    public var encoding: Encoding
    /// The sound.
    public var content: SampleBuffer

    /// Creates a file in memory.
    ///
    /// - Parameters:
    ///   - content: The sound.
    ///   - encoding: How samples are stored.
    public init(_ content: SampleBuffer, encoding: Encoding) {
        self.content = content
        self.encoding = encoding
    }

    /// Reads a file.
    ///
    /// Chunks may come in any order and unknown ones are skipped; a data chunk without a valid length, as
    /// in a stream, reaches to the end of the file.
    ///
    /// - Parameter url: A file URL.
    /// - Throws: `CoreError.notFound`, `CoreError.ioError`, or `CoreError.unsupported` naming the file and what is
    ///   wrong with it.
    public init(contentsOf url: URL) throws {
        guard FileManager.default.fileExists(atPath: url.path) else { throw CoreError.notFound(url.path) }
        let data: Data
        do { data = try Data(contentsOf: url) } catch { throw CoreError.ioError("\(url.path): \(error)") }
        try self.init(data: data, name: url.path)
    }

    /// Reads a file from memory.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - name: The name in errors.
    /// - Throws: `CoreError.unsupported` naming what is wrong.
    public init(data: Data, name: String = "WAV data") throws {
        self = try WAVParser(bytes: [UInt8](data), name: name).parse()
    }

    /// The whole file.
    ///
    /// - Parameter extensible: Whether the format chunk is of the extensible kind, with a channel mask.
    public func data(extensible: Bool = false) -> Data {
        let body = Self.encode(content.samples, as: encoding)
        let format = formatChunk(extensible: extensible)
        var file = Data()
        file.append(contentsOf: Array("RIFF".utf8))
        file.appendLittleEndian(UInt32(truncatingIfNeeded: 4 + 8 + format.count + 8 + body.count + body.count % 2))
        file.append(contentsOf: Array("WAVEfmt ".utf8))
        file.appendLittleEndian(UInt32(format.count))
        file.append(format)
        file.append(contentsOf: Array("data".utf8))
        file.appendLittleEndian(UInt32(truncatingIfNeeded: body.count))
        file.append(contentsOf: body)
        if body.count % 2 == 1 { file.append(0) }
        return file
    }

    /// Writes the file.
    ///
    /// - Parameters:
    ///   - url: A file URL; an existing file is replaced.
    ///   - extensible: Whether the format chunk is of the extensible kind.
    /// - Throws: `CoreError.ioError` naming the file.
    public func write(to url: URL, extensible: Bool = false) throws {
        do { try data(extensible: extensible).write(to: url) } catch {
            throw CoreError.ioError("\(url.path): \(error)")
        }
    }

    private func formatChunk(extensible: Bool) -> Data {
        let channels = content.format.channels
        let tag: UInt16 = encoding == .float32 ? 3 : 1
        let bytes = encoding.bytesPerSample
        var chunk = Data()
        chunk.appendLittleEndian(extensible ? UInt16(0xFFFE) : tag)
        chunk.appendLittleEndian(UInt16(channels))
        chunk.appendLittleEndian(UInt32(content.format.sampleRate))
        chunk.appendLittleEndian(UInt32(content.format.sampleRate * channels * bytes))
        chunk.appendLittleEndian(UInt16(channels * bytes))
        chunk.appendLittleEndian(UInt16(bytes * 8))
        guard extensible else { return chunk }
        chunk.appendLittleEndian(UInt16(22))
        chunk.appendLittleEndian(UInt16(bytes * 8))
        chunk.appendLittleEndian(Self.channelMask(channels: channels))
        chunk.appendLittleEndian(tag)
        chunk.append(contentsOf: WAVParser.subformatTail)
        return chunk
    }

    /// The usual loudspeakers for a number of channels, as in the extensible format's mask.
    private static func channelMask(channels: Int) -> UInt32 {
        switch channels {
        case 1: 0x4
        case 2: 0x3
        case 4: 0x33
        case 6: 0x3F
        case 8: 0x63F
        default: (1 << UInt32(channels)) - 1
        }
    }

    private static func encode(_ samples: [Float], as encoding: Encoding) -> [UInt8] {
        let width = encoding.bytesPerSample
        return samples.withUnsafeBufferPointer { samples in
            [UInt8](unsafeUninitializedCapacity: samples.count * width) { target, count in
                count = samples.count * width
                let bytes = UnsafeMutableRawBufferPointer(target)
                for index in 0..<samples.count {
                    let bits = bits(of: samples[index], as: encoding)
                    let low = UInt16(truncatingIfNeeded: bits)
                    bytes.storeBytes(of: low.littleEndian, toByteOffset: index * width, as: UInt16.self)
                    if width == 2 { continue }
                    bytes[index * width + 2] = UInt8(truncatingIfNeeded: bits >> 16)
                    if width == 4 { bytes[index * width + 3] = UInt8(truncatingIfNeeded: bits >> 24) }
                }
            }
        }
    }

    private static func bits(of sample: Float, as encoding: Encoding) -> UInt32 {
        let scale: Double
        switch encoding {
        case .float32: return sample.bitPattern
        case .int16: scale = 32_768
        case .int24: scale = 8_388_608
        case .int32: scale = 2_147_483_648
        }
        let value = min(max((Double(sample) * scale).rounded(), -scale), scale - 1)
        return UInt32(truncatingIfNeeded: Int64(value))
    }
}

extension Data {
    fileprivate mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { self.append(contentsOf: $0) }
    }
}
