/// The four bytes that begin every frame of MPEG audio, layers II and III (ISO/IEC 11172-3, 2.4.2.3).
package struct MPEGAudioHeader: Equatable {
    /// 2 or 3.
    package let layer: Int
    /// Frames per second, in Hz.
    package let sampleRate: Int
    /// The size of the whole frame in bytes.
    package let size: Int
    package let isMono: Bool
    /// Whether this is MPEG-1, not the half-rate MPEG-2 or MPEG-2.5.
    package let isMPEG1: Bool

    /// The number of frames of sound in one coded frame.
    package var framesPerBlock: Int64 { layer == 3 && !isMPEG1 ? 576 : 1_152 }

    /// The number of bytes between the header and the data of layer III, where Xing and Info tags stand.
    package var sideInfoSize: Int {
        switch (isMPEG1, isMono) {
        case (true, false): 32
        case (true, true), (false, false): 17
        case (false, true): 9
        }
    }

    // In kbit/s, by index from 1 on.
    private static let layer2Rates = [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
    private static let layer3Rates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    private static let lowRates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

    /// Whether another frame may belong to the same stream.
    package func isLike(_ other: MPEGAudioHeader) -> Bool {
        layer == other.layer && sampleRate == other.sampleRate && isMPEG1 == other.isMPEG1
    }

    /// Reads a header; `nil` when the bytes do not begin with one, or with one of free or forbidden bit rate.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 4 else { return nil }
        let word = bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let (version, layer) = (word >> 19 & 3, 4 - Int(word >> 17 & 3))
        let (bitrate, rate) = (Int(word >> 12 & 15), Int(word >> 10 & 3))
        guard word >> 21 == 0x7FF, version != 1, layer == 2 || layer == 3, bitrate != 0, bitrate != 15, rate != 3 else {
            return nil
        }
        self.layer = layer
        isMPEG1 = version == 3
        isMono = word >> 6 & 3 == 3
        sampleRate = [44_100, 48_000, 32_000][rate] / (version == 3 ? 1 : version == 2 ? 2 : 4)
        let kilobits = (isMPEG1 ? (layer == 2 ? Self.layer2Rates : Self.layer3Rates) : Self.lowRates)[bitrate - 1]
        let framesPerBlock = layer == 3 && !isMPEG1 ? 576 : 1_152
        size = framesPerBlock / 8 * kilobits * 1_000 / sampleRate + Int(word >> 9 & 1)
    }
}
