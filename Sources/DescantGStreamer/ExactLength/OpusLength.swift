/// The length of an Opus stream, always in frames of 48 kHz.
enum OpusLength {
    private static let sampleRate = 48_000

    static func read(_ header: ArraySlice<UInt8>, head: [UInt8], last: Int64) -> ExactLength? {
        let bytes = Array(header)
        guard bytes.count >= 19 else { return nil }
        let preSkip = Int64(bytes.littleEndian16(at: 10))
        guard let start = OggLength.start(of: head, headers: 2, framesOf: frames) else { return nil }
        let count = last - max(0, start) - preSkip
        return count > 0 ? ExactLength(frames: count, sampleRate: sampleRate) : nil
    }

    /// Frames in a packet, by its first two bytes (RFC 6716, section 3.1).
    static func frames(in packet: ArraySlice<UInt8>) -> Int64 {
        guard let toc = packet.first else { return 0 }
        let configuration = Int(toc >> 3)
        let perFrame: Int64 =
            switch configuration {
            case 0..<12: [480, 960, 1_920, 2_880][configuration % 4]
            case 12..<16: [480, 960][configuration % 2]
            default: [120, 240, 480, 960][configuration % 4]
            }
        switch toc & 3 {
        case 0: return perFrame
        case 1, 2: return perFrame * 2
        default: return perFrame * Int64((packet.dropFirst().first ?? 0) & 63)
        }
    }
}
