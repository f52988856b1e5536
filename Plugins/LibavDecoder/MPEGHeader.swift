/// The four bytes that begin every frame of MPEG audio, layer III (ISO/IEC 11172-3, 2.4.2.3).
struct MPEGHeader {
    /// Frames per second, in Hz.
    let sampleRate: Int
    /// The size of the whole frame in bytes.
    let size: Int
    let isMono: Bool
    /// Whether this is MPEG-1, not the half-rate MPEG-2 or MPEG-2.5.
    let isMPEG1: Bool
    private let hasChecksum: Bool

    /// The number of frames of sound in one coded frame.
    var frames: Int64 { isMPEG1 ? 1_152 : 576 }

    /// The number of bytes between the header and the data of layer III, where Xing and Info tags stand.
    var sideInfoSize: Int {
        switch (isMPEG1, isMono) {
        case (true, false): 32
        case (true, true), (false, false): 17
        case (false, true): 9
        }
    }

    /// The number of bytes of sound, which later frames may refer to.
    var dataSize: Int { max(0, size - 4 - sideInfoSize - (hasChecksum ? 2 : 0)) }

    /// The maximum number of bytes before a frame's own data that it refers to.
    var reservoirSize: Int { isMPEG1 ? 511 : 255 }

    // In kbit/s, by index from 1 on.
    private static let rates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    private static let lowRates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

    /// Whether another frame may belong to the same stream.
    func isLike(_ other: MPEGHeader) -> Bool { sampleRate == other.sampleRate && isMPEG1 == other.isMPEG1 }

    /// Reads a header; `nil` when none begins at the offset, or one with a free or forbidden bit rate.
    init?(_ bytes: some ByteSequence, at offset: Int) {
        guard offset >= 0, offset <= bytes.count - 4 else { return nil }
        let first = bytes.startIndex + offset
        let (second, third) = (Int(bytes[first + 1]), Int(bytes[first + 2]))
        guard bytes[first] == 0xFF, second & 0xE6 == 0xE2 else { return nil }
        let (version, bitrate, rate) = (second >> 3 & 3, third >> 4, third >> 2 & 3)
        guard version != 1, bitrate != 0, bitrate != 15, rate != 3 else { return nil }
        isMPEG1 = version == 3
        isMono = bytes[first + 3] >> 6 == 3
        hasChecksum = second & 1 == 0
        let full = rate == 0 ? 44_100 : rate == 1 ? 48_000 : 32_000
        sampleRate = version == 3 ? full : version == 2 ? full / 2 : full / 4
        let kilobits = isMPEG1 ? Self.rates[bitrate - 1] : Self.lowRates[bitrate - 1]
        size = (isMPEG1 ? 144 : 72) * kilobits * 1_000 / sampleRate + (third >> 1 & 1)
    }
}
