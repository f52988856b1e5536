/// The content of a WAVE file's format chunk.
package struct WaveFormat {
    /// The number of bytes of the longest form, WAVE_FORMAT_EXTENSIBLE.
    package static let maximumSize = 40
    /// The offset of ``byteRate`` within the content.
    package static let byteRateOffset: Int64 = 8

    /// The encoding: 1 for integers, 3 for floating point. WAVE_FORMAT_EXTENSIBLE has it in its sub-format.
    package let tag: UInt16
    /// Samples per frame, as announced.
    package let channels: Int
    /// Frames per second in Hz, as announced.
    package let sampleRate: Int
    /// Bytes per second, as announced.
    package let byteRate: Int
    /// Bytes of a frame, as announced.
    package let blockAlign: Int
    /// Bits of a sample, as announced.
    package let bitDepth: Int

    /// Reads the content of a format chunk; `nil` when it has fewer than 16 bytes.
    ///
    /// - Parameter content: The content, or its first ``maximumSize`` bytes.
    package init?(_ content: [UInt8]) {
        guard let tag = content.uint16(at: 0, .little), let channels = content.uint16(at: 2, .little),
            let sampleRate = content.uint32(at: 4, .little), let byteRate = content.uint32(at: 8, .little),
            let blockAlign = content.uint16(at: 12, .little), let bitDepth = content.uint16(at: 14, .little)
        else { return nil }
        self.tag = tag == 0xFFFE ? content.uint16(at: 24, .little) ?? tag : tag
        self.channels = Int(channels)
        self.sampleRate = Int(sampleRate)
        self.byteRate = Int(byteRate)
        self.blockAlign = Int(blockAlign)
        self.bitDepth = Int(bitDepth)
    }
}
