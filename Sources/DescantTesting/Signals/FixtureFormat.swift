/// The file formats that ``FixtureEncoder`` makes.
public enum FixtureFormat: Sendable, Hashable {
    /// RIFF/WAVE, without any tool.
    case wav(WAVFile.Encoding)
    /// FLAC at a depth of 16 or 24 bits, by `flac`.
    case flac(bits: Int)
    /// MP3 with a LAME tag at a constant bit rate, by `lame`.
    case mp3(kilobitsPerSecond: Int)
    /// MP3 with an Info tag of libavformat at a constant bit rate, by `ffmpeg`.
    case infoMP3(kilobitsPerSecond: Int)
    /// AAC-LC in MP4 with an edit list, by `ffmpeg`.
    case aac(kilobitsPerSecond: Int)
    /// ALAC of 16 bits in MP4, by `ffmpeg`.
    case alac
    /// Ogg Vorbis at a quality of -1…10, by `oggenc`.
    case vorbis(quality: Int)
    /// Ogg Opus, always at 48 kHz, by `opusenc`.
    case opus(kilobitsPerSecond: Int)

    /// The usual extension, without its dot.
    public var fileExtension: String {
        switch self {
        case .wav: "wav"
        case .flac: "flac"
        case .mp3, .infoMP3: "mp3"
        case .aac, .alac: "m4a"
        case .vorbis: "ogg"
        case .opus: "opus"
        }
    }

    /// Whether decoding returns exactly the samples that were encoded.
    public var isLossless: Bool {
        switch self {
        case .wav, .flac, .alac: true
        case .mp3, .infoMP3, .aac, .vorbis, .opus: false
        }
    }
}
