/// The length of a Vorbis stream.
enum VorbisLength {
    static func read(_ header: ArraySlice<UInt8>, head: [UInt8], last: Int64) -> ExactLength? {
        let bytes = Array(header)
        guard bytes.count >= 30 else { return nil }
        let sampleRate = Int(bytes.littleEndian32(at: 12))
        let blockSizes = [Int64(1) << Int64(bytes[28] & 15), Int64(1) << Int64(bytes[28] >> 4)]
        guard sampleRate > 0, let packets = OggLength.headerPackets(of: head, count: 3),
            let modes = VorbisModes(setup: packets[2])
        else { return nil }
        var previous: Int64?
        let start = OggLength.start(of: head, headers: 3) { packet in
            guard let size = modes.isLong(packet).map({ blockSizes[$0 ? 1 : 0] }) else { return 0 }
            // Half of each of two overlapping blocks becomes sound; the first block only begins it.
            defer { previous = size }
            return previous.map { ($0 + size) / 4 } ?? 0
        }
        guard let start else { return nil }
        let frames = last - max(0, start)
        return frames > 0 ? ExactLength(frames: frames, sampleRate: sampleRate) : nil
    }
}
