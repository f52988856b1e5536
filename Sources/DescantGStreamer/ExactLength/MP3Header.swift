/// The four bytes that begin every frame of MPEG audio, layer III.
struct MP3Header: Equatable {
    let sampleRate: Int
    /// Bytes of the whole frame.
    let size: Int
    let isMono: Bool
    /// Whether this is MPEG-1; the half-rate MPEG-2 and 2.5 have shorter frames.
    let isMPEG1: Bool

    /// Frames of sound that one MP3 frame decodes to.
    var framesPerBlock: Int64 { isMPEG1 ? 1_152 : 576 }

    /// Bytes between the header and the first block's data, where Xing and Info tags stand.
    var sideInfoSize: Int {
        switch (isMPEG1, isMono) {
        case (true, false): 32
        case (true, true), (false, false): 17
        case (false, true): 9
        }
    }

    // In kbit/s.
    private static let bitratesOfMPEG1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    private static let bitratesOfMPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

    /// Whether another frame may belong to the same stream.
    func isLike(_ other: MP3Header) -> Bool { sampleRate == other.sampleRate && isMPEG1 == other.isMPEG1 }

    /// Reads a header; `nil` for anything that is not layer III.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 4 else { return nil }
        let word = bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let version = word >> 19 & 3
        let layer = word >> 17 & 3
        let bitrate = word >> 12 & 15
        let rate = Int(word >> 10 & 3)
        guard word >> 21 == 0x7FF, version != 1, layer == 1, bitrate != 0, bitrate != 15, rate != 3 else { return nil }
        let base = [44_100, 48_000, 32_000][rate]
        switch version {
        case 3: sampleRate = base
        case 2: sampleRate = base / 2
        default: sampleRate = base / 4
        }
        isMPEG1 = version == 3
        let kilobits = (isMPEG1 ? Self.bitratesOfMPEG1 : Self.bitratesOfMPEG2)[Int(bitrate)]
        size = (isMPEG1 ? 144_000 : 72_000) * kilobits / sampleRate + Int(word >> 9 & 1)
        isMono = word >> 6 & 3 == 3
    }
}
