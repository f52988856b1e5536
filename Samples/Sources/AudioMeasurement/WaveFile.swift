public import Foundation

/// Writes whole WAVE files: for sound that is made in memory.
public enum WaveFile {
    /// Writes a file and replaces an existing one.
    ///
    /// - Parameters:
    ///   - samples: Interleaved samples, full scale ±1; integers are rounded and clipped.
    ///   - sampleRate: Frames per second, in Hz.
    ///   - channels: Samples per frame.
    ///   - format: How samples are stored.
    ///   - url: A file URL.
    /// - Throws: ``WaveFileError``.
    public static func write(
        _ samples: [Float], sampleRate: Int, channels: Int, format: WaveSampleFormat, to url: URL
    ) throws {
        let payload = encode(samples, as: format)
        var data = header(sampleRate: sampleRate, channels: channels, format: format, dataBytes: payload.count)
        data.append(payload)
        do {
            try data.write(to: url)
        } catch {
            throw WaveFileError.inputOutput(path: url.path, message: error.localizedDescription)
        }
    }

    private static func header(sampleRate: Int, channels: Int, format: WaveSampleFormat, dataBytes: Int) -> Data {
        var data = Data()
        func append(_ text: String) { data.append(contentsOf: text.utf8) }
        func append(_ value: Int, bytes: Int) {
            for byte in 0..<bytes { data.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
        }
        append("RIFF")
        append(36 + dataBytes, bytes: 4)
        append("WAVEfmt ")
        append(16, bytes: 4)
        append(format == .float32 ? 3 : 1, bytes: 2)
        append(channels, bytes: 2)
        append(sampleRate, bytes: 4)
        append(sampleRate * channels * format.bytes, bytes: 4)
        append(channels * format.bytes, bytes: 2)
        append(format.bytes * 8, bytes: 2)
        append("data")
        append(dataBytes, bytes: 4)
        return data
    }

    private static func encode(_ samples: [Float], as format: WaveSampleFormat) -> Data {
        var data = Data(capacity: samples.count * format.bytes)
        for sample in samples {
            switch format {
            case .float32:
                withUnsafeBytes(of: sample.bitPattern.littleEndian) { data.append(contentsOf: $0) }
            case .integer(let bits):
                let scale = Double(1 << (bits - 1))
                let value = Int64(max(-scale, min(scale - 1, (Double(sample) * scale).rounded())))
                for byte in 0..<format.bytes { data.append(UInt8(truncatingIfNeeded: value >> Int64(8 * byte))) }
            }
        }
        return data
    }
}

/// How samples are stored in a WAVE file.
public enum WaveSampleFormat: Sendable, Hashable {
    /// Little-endian signed integers of 16, 24 or 32 bits; full scale is 2^(bits - 1).
    case integer(bits: Int)
    /// Little-endian IEEE floating point, 32 bits.
    case float32

    /// Bytes per sample.
    public var bytes: Int {
        switch self {
        case .integer(let bits): bits / 8
        case .float32: 4
        }
    }
}

/// Why a WAVE file cannot be read or written.
public enum WaveFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file cannot be opened, read or written; the message is the system's.
    case inputOutput(path: String, message: String)
    /// The file is not a WAVE file, or its encoding is not supported.
    case format(path: String, message: String)

    /// The path and what is wrong.
    public var description: String {
        switch self {
        case .inputOutput(let path, let message): "\(path): \(message)"
        case .format(let path, let message): "\(path) is not a readable WAVE file: \(message)"
        }
    }
}
