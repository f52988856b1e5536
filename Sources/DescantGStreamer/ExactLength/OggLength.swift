internal import DescantContainers

internal import DescantCore

/// The length of an Ogg file with one Vorbis or Opus stream, by its first and last pages.
enum OggLength {
    /// The number of bytes at the beginning that are read: the headers, covers among them, and the first sound. A large cover
    /// needs the second one.
    private static let headLimits = [1 << 20, 1 << 25]
    /// The number of bytes at the end in which the last page is searched.
    private static let tailLimit = 2 * OggPage.maximumSize

    static func read(_ file: some RandomAccessBytes<Never>) -> ExactLength? {
        for limit in headLimits {
            let head = file.bytes(at: 0, count: limit)
            if let length = read(file, head: head) { return length }
            guard head.count == limit, OggPage(intactIn: head, at: 0)?.beginsStream == true else { return nil }
        }
        return nil
    }

    private static func read(_ file: some RandomAccessBytes<Never>, head: [UInt8]) -> ExactLength? {
        guard let first = OggPage(intactIn: head, at: 0), first.beginsStream,
            let packet = first.segments(of: head.dropFirst(first.headerSize)).first.map(Array.init)
        else { return nil }
        // A second stream beside the first, or behind it, has another serial number on the last page.
        guard let last = lastFrame(file, serial: first.serial) else { return nil }
        if packet.starts(with: Array("OpusHead".utf8)) { return OpusLength.read(packet, head: head, last: last) }
        if packet.starts(with: [1] + Array("vorbis".utf8)) { return VorbisLength.read(packet, head: head, last: last) }
        return nil
    }

    /// The granule position of the last page that has one, in frames.
    private static func lastFrame(_ file: some RandomAccessBytes<Never>, serial: UInt32) -> Int64? {
        let start = max(0, file.size - Int64(tailLimit))
        let tail = file.bytes(at: start, count: tailLimit)
        guard tail.count >= 27 else { return nil }
        for index in stride(from: tail.count - 27, through: 0, by: -1) where tail[index] == 0x4F {
            guard let page = OggPage(intactIn: tail, at: index) else { continue }
            guard page.serial == serial else { return nil }
            // A page on which no packet ends has no granule; one before it has.
            if page.granule != OggPage.noGranule { return page.frames }
        }
        return nil
    }

    /// The frame at which the stream begins: the granule position of the first page of sound that has one, less the frames
    /// on the pages up to it.
    ///
    /// - Parameters:
    ///   - head: The beginning of the file.
    ///   - headers: The number of packets before the sound.
    ///   - framesOf: Returns the number of frames that the next packet adds.
    fileprivate static func start(of head: [UInt8], headers: Int, framesOf: (ArraySlice<UInt8>) -> Int64) -> Int64? {
        var offset = 0
        var packetCount = 0
        var frames: Int64 = 0
        var assembler = OggPacketAssembler()
        while let page = OggPage(intactIn: head, at: offset) {
            for packet in assembler.packets(of: page, body: head.dropFirst(offset + page.headerSize)) {
                if packetCount >= headers { frames += framesOf(packet) }
                packetCount += 1
            }
            offset += page.size
            guard packetCount > headers, page.granule != OggPage.noGranule else { continue }
            guard let end = page.frames else { return nil }
            // On the last page a short granule means that the end is cut, not the beginning.
            return page.endsStream ? max(0, end - frames) : end - frames
        }
        return nil
    }

    /// The packets before the sound, whole; `nil` when they do not fit into the head.
    fileprivate static func headerPackets(of head: [UInt8], count: Int) -> [ArraySlice<UInt8>]? {
        var offset = 0
        var packets: [ArraySlice<UInt8>] = []
        var assembler = OggPacketAssembler()
        while packets.count < count, let page = OggPage(intactIn: head, at: offset) {
            packets += assembler.packets(of: page, body: head.dropFirst(offset + page.headerSize))
            offset += page.size
        }
        return packets.count < count ? nil : packets
    }
}

extension OggPage {
    /// The granule position as a number of frames; `nil` outside of 0…``FrameCount/limit``.
    fileprivate var frames: Int64? { granule >= 0 ? FrameCount(exactly: granule)?.value : nil }
}

/// The length of an Opus stream, in frames of 48 kHz (RFC 7845).
private enum OpusLength {
    private static let sampleRate = 48_000

    static func read(_ header: [UInt8], head: [UInt8], last: Int64) -> ExactLength? {
        guard header.count >= 19, let preSkip = header.uint16(at: 10, .little),
            let start = OggLength.start(of: head, headers: 2, framesOf: frames)
        else { return nil }
        let count = last - max(0, start) - Int64(preSkip)
        return count > 0 ? ExactLength(frames: count, sampleRate: sampleRate) : nil
    }

    /// The number of frames in a packet, by its first two bytes (RFC 6716, section 3.1).
    private static func frames(in packet: ArraySlice<UInt8>) -> Int64 {
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

/// The length of a Vorbis stream.
private enum VorbisLength {
    static func read(_ header: [UInt8], head: [UInt8], last: Int64) -> ExactLength? {
        guard header.count >= 30, let sampleRate = header.uint32(at: 12, .little), sampleRate > 0,
            let packets = OggLength.headerPackets(of: head, count: 3),
            let modes = VorbisModes(setup: Array(packets[2]))
        else { return nil }
        let blockSizes = [Int64(1) << Int64(header[28] & 15), Int64(1) << Int64(header[28] >> 4)]
        var previous: Int64?
        let start = OggLength.start(of: head, headers: 3) { packet in
            guard let size = modes.isLong(packet).map({ blockSizes[$0 ? 1 : 0] }) else { return 0 }
            // Half of each of two overlapping blocks becomes sound; the first block only begins it.
            defer { previous = size }
            return previous.map { ($0 + size) / 4 } ?? 0
        }
        guard let start else { return nil }
        let frames = last - max(0, start)
        return frames > 0 ? ExactLength(frames: frames, sampleRate: Int(sampleRate)) : nil
    }
}
