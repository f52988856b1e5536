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
