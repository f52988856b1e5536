internal import CALSA
internal import DescantCore
internal import DescantMixing

/// Encodes the samples of a mix for a device. One thread at a time uses it.
struct SampleEncoder {
    /// An encoding of samples; the most exact ones first.
    enum Encoding: CaseIterable {
        /// Floating point with 32 bits, as in the mix.
        case float
        case integer32
        /// Integers with 24 bits in three bytes.
        case packed24
        /// Integers with 24 bits in the lower three of four bytes.
        case integer24
        case integer16

        /// ALSA's name of it; all of them are little endian.
        var alsaFormat: snd_pcm_format_t {
            switch self {
            case .float: SND_PCM_FORMAT_FLOAT_LE
            case .integer32: SND_PCM_FORMAT_S32_LE
            case .packed24: SND_PCM_FORMAT_S24_3LE
            case .integer24: SND_PCM_FORMAT_S24_LE
            case .integer16: SND_PCM_FORMAT_S16_LE
            }
        }

        fileprivate var bits: Int {
            switch self {
            case .float, .integer32: 32
            case .packed24, .integer24: 24
            case .integer16: 16
            }
        }

        /// Bytes of one sample.
        var bytes: Int {
            switch self {
            case .float, .integer32, .integer24: 4
            case .packed24: 3
            case .integer16: 2
            }
        }
    }

    private let encoding: Encoding
    private let channels: Int
    private let order: [Int]?
    /// Samples that have to be rounded are dithered, as in a file.
    private var dither: Dither?
    private var ordered: [Float] = []
    private var encoded: [UInt8] = []

    /// - Parameters:
    ///   - format: The format of the mix.
    ///   - order: For each channel of the device, the one of the mix; `nil` for the order of the mix.
    init(_ encoding: Encoding, format: PCMFormat, order: [Int]?) {
        self.encoding = encoding
        self.order = order
        channels = format.channels
        if encoding.bits < 32 {
            dither = Dither(bits: encoding.bits, sampleRate: format.sampleRate, channels: format.channels)
        }
    }

    /// Encodes interleaved frames and passes them to a closure.
    mutating func encode<Result>(
        _ samples: UnsafePointer<Float>, frames: Int, _ body: (UnsafeRawPointer) -> Result
    ) -> Result {
        guard encoding != .float || order != nil else { return body(samples) }
        let count = frames * channels
        if ordered.count < count { ordered = [Float](repeating: 0, count: count) }
        if encoded.count < count * encoding.bytes { encoded = [UInt8](repeating: 0, count: count * encoding.bytes) }
        return ordered.withUnsafeMutableBufferPointer { ordered in
            for channel in 0..<channels {
                let source = order?[channel] ?? channel
                for frame in 0..<frames {
                    let sample = samples[frame * channels + source]
                    // NaN becomes silence: it has no integer.
                    ordered[frame * channels + channel] = sample.isNaN ? 0 : sample
                }
            }
            // Never: it is as long as the samples.
            guard let first = ordered.baseAddress else { return body(samples) }
            guard encoding != .float else { return body(first) }
            dither?.process(first, frames: frames)
            return encoded.withUnsafeMutableBytes { bytes in
                Self.encode(ordered.prefix(count), encoding, into: bytes)
                return body(bytes.baseAddress.map { UnsafeRawPointer($0) } ?? UnsafeRawPointer(first))
            }
        }
    }

    private static func encode(
        _ samples: Slice<UnsafeMutableBufferPointer<Float>>, _ encoding: Encoding,
        into bytes: UnsafeMutableRawBufferPointer
    ) {
        let scale = Double(1 << (encoding.bits - 1))
        for (index, sample) in samples.enumerated() {
            let value = Int32(max(-scale, min(scale - 1, (Double(sample) * scale).rounded())))
            let offset = index * encoding.bytes
            switch encoding {
            case .float: break
            case .integer32, .integer24: bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Int32.self)
            case .integer16: bytes.storeBytes(of: Int16(value).littleEndian, toByteOffset: offset, as: Int16.self)
            case .packed24:
                for byte in 0..<3 { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * Int32(byte))) }
            }
        }
    }
}
