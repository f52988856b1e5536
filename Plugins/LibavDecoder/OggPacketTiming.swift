/// The durations of the packets of an Ogg stream, by their first bytes and the headers of the codec.
struct OggPacketTiming {
    /// What the duration of a packet depends on besides its own bytes.
    struct Clock {
        /// The size of the block before, in Vorbis.
        fileprivate var previous: Int64?
    }

    let codec: EncodedStream.Codec
    /// The header as libavcodec expects it.
    let header: [UInt8]
    let sampleRate: Int
    let channels: Int
    /// The number of frames at the beginning that are no sound.
    let preSkip: Int64
    /// The maximum number of frames in a packet.
    let maximumDuration: Int64
    /// The number of frames after which a decoder that begins anywhere has converged.
    let settling: Int64
    /// Whether the first packet gives no frames, because two packets make the sound between them.
    var overlaps: Bool { modes != nil }
    var clock: Clock { Clock() }

    private var modes: VorbisModes?
    private var blockSizes: [Int64] = []

    /// RFC 7845, section 4.6, asks for 80 ms. The energies of a band still differ by 10^-5 after that.
    private static let settlingOfOpus: Int64 = 24_000
    /// 120 ms.
    private static let maximumOpusDuration: Int64 = 5_760

    /// Reads the headers; `nil` for other codecs and impossible values.
    init?(_ packets: [[UInt8]]) {
        guard let first = packets.first else { return nil }
        if first.has("OpusHead", at: 0), first.count >= 19, let skip = first.little(10, 2), (1...8).contains(first[9]),
            first[8] >> 4 == 0
        {
            codec = .opus
            header = first
            (sampleRate, channels, preSkip) = (48_000, Int(first[9]), Int64(skip))
            (maximumDuration, settling) = (Self.maximumOpusDuration, Self.settlingOfOpus)
        } else if first.has("\u{1}vorbis", at: 0), first.count >= 30, packets.count == 3,
            let rate = first.little(12, 4), (1...1_536_000).contains(rate), (1...8).contains(first[11]),
            let modes = VorbisModes(setup: packets[2])
        {
            codec = .vorbis
            (sampleRate, channels, preSkip) = (rate, Int(first[11]), 0)
            blockSizes = [Int64(1) << Int64(first[28] & 15), Int64(1) << Int64(first[28] >> 4)]
            guard blockSizes.allSatisfy({ (64...8_192).contains($0) }) else { return nil }
            self.modes = modes
            (maximumDuration, settling) = (8_192, 0)
            header = Self.laced(packets)
        } else {
            return nil
        }
    }

    /// Three headers in one, with the lengths of the first two in front.
    private static func laced(_ packets: [[UInt8]]) -> [UInt8] {
        // The comments are not used, and may hold covers.
        let comments = Array("\u{3}vorbis".utf8) + [UInt8](repeating: 0, count: 8) + [1]
        let lengths = [packets[0].count, comments.count].flatMap { length in
            [UInt8](repeating: 255, count: length / 255) + [UInt8(length % 255)]
        }
        return [2] + lengths + packets[0] + comments + packets[2]
    }

    /// The number of frames that a packet adds.
    func duration(of packet: UnsafeBufferPointer<UInt8>, _ clock: inout Clock) -> Int64 {
        guard let first = packet.first else { return 0 }
        guard let modes else { return Self.opusDuration(first, packet.count > 1 ? packet[1] : 0) }
        guard let isLong = modes.isLong(first) else { return 0 }
        let size = blockSizes[isLong ? 1 : 0]
        // Half of each of two overlapping blocks becomes sound; the first block only begins it.
        defer { clock.previous = size }
        return clock.previous.map { ($0 + size) / 4 } ?? 0
    }

    /// The number of frames in a packet of Opus, by its first two bytes (RFC 6716, sections 3.1 and 3.2.5).
    ///
    /// 0 for a packet that is longer than 120 ms, which is malformed: decoders refuse it.
    private static func opusDuration(_ first: UInt8, _ second: UInt8) -> Int64 {
        let configuration = Int(first >> 3)
        let perFrame: Int64 =
            switch configuration {
            case 0..<12: [480, 960, 1_920, 2_880][configuration % 4]
            case 12..<16: [480, 960][configuration % 2]
            default: [120, 240, 480, 960][configuration % 4]
            }
        switch first & 3 {
        case 0: return perFrame
        case 1, 2: return perFrame * 2
        default:
            let frames = perFrame * Int64(second & 63)
            return frames <= maximumOpusDuration ? frames : 0
        }
    }
}

/// The modes of a Vorbis stream, which choose between short and long blocks.
///
/// The modes stand at the end of the setup header behind parts of unknown length, so they are read backwards: a framing
/// bit, then for each mode 8 bits of mapping, 32 bits that are 0 and one that is set for long blocks, and before them a count.
private struct VorbisModes {
    /// For each mode whether its blocks are long; 1…64 modes.
    private let longModes: [Bool]

    private static let modeBits = 41
    private static let maximumCount = 64

    /// Reads the modes from a setup header; `nil` when they are not found.
    init?(setup: [UInt8]) {
        guard let index = setup.lastIndex(where: { $0 != 0 }) else { return nil }
        var end = index * 8 + 7 - setup[index].leadingZeroBitCount
        var found: [Bool] = []
        var accepted: [Bool]?
        while end - Self.modeBits >= 97, found.count < Self.maximumCount {
            let start = end - Self.modeBits
            // Bits 1 to 32 of a mode are its window and transform types, both 0.
            guard Self.bits(of: setup, at: start + 1, count: 32) == 0,
                Self.bits(of: setup, at: start + 33, count: 8) < 64
            else {
                break
            }
            found.insert(Self.bits(of: setup, at: start, count: 1) == 1, at: 0)
            end = start
            if Int(Self.bits(of: setup, at: end - 6, count: 6)) + 1 == found.count { accepted = found }
        }
        guard let accepted else { return nil }
        longModes = accepted
    }

    /// Whether a packet of sound is a long block, by its first byte; `nil` for another kind of packet.
    func isLong(_ first: UInt8) -> Bool? {
        guard first & 1 == 0 else { return nil }
        let width = longModes.count <= 1 ? 0 : Int.bitWidth - (longModes.count - 1).leadingZeroBitCount
        let mode = Int(first >> 1) & (1 << width - 1)
        return mode < longModes.count ? longModes[mode] : nil
    }

    private static func bits(of bytes: [UInt8], at start: Int, count: Int) -> UInt64 {
        (0..<count).reduce(0) { value, bit in
            let index = start + bit
            return value | UInt64(bytes[index / 8] >> (index % 8) & 1) << bit
        }
    }
}
