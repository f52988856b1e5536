/// How samples are written to a file.
public enum SampleEncoding: String, Sendable, Hashable, Codable, CaseIterable {
    /// 32-bit floating point, little endian: the mix bit for bit, values beyond full scale included.
    case f32
    /// 16-bit integers, little endian.
    case s16
    /// 24-bit integers in three bytes, little endian.
    case s24

    /// GStreamer's name of the sample format.
    var gstreamerName: String {
        switch self {
        case .f32: "F32LE"
        case .s16: "S16LE"
        case .s24: "S24LE"
        }
    }

    /// Bytes of one sample.
    var bytes: Int {
        switch self {
        case .f32: 4
        case .s16: 2
        case .s24: 3
        }
    }
}
