internal import DescantContainers
internal import DescantCore

/// The length of an Ogg file with one stream of Vorbis, Opus or FLAC, by its first and last pages, or with a chain of them.
///
/// Some pages in between show whether the last page belongs to the stream of the first one.
enum OggLength {
    /// The number of bytes at the beginning that are read: the headers and the first sound. A cover among the headers needs the second
    /// one, and a large cover the third.
    private static let headLimits = [OggPage.maximumSize, 1 << 20, 1 << 25]
    /// The number of bytes at the end in which the last page is searched.
    private static let tailLimit = 2 * OggPage.maximumSize

    /// Reads the length; `nil` when it is not known.
    ///
    /// - Parameter isChain: Whether the file may have several links.
    static func read(_ file: some RandomAccessBytes<Never>, isChain: Bool = true) -> ExactLength? {
        let head = file.bytes(at: 0, count: headLimits[0])
        guard let first = OggPage(intactIn: head, at: 0), first.beginsStream, let end = end(of: file) else {
            return nil
        }
        if end.page.serial == first.serial,
            !isChain || OggChain.isOneStream(file, head: head, last: (end.page, end.offset))
        {
            var length = stream(file, first, head: head, last: end.frames)
            length?.isCutOff = end.isCutOff
            return length
        }
        return isChain ? OggChain.read(file, last: (end.page, end.offset)) : nil
    }

    /// Whether a stream has headers only.
    static func isWithoutSound(_ file: some RandomAccessBytes<Never>) -> Bool {
        end(of: file).map { $0.frames ?? 0 == 0 } ?? false
    }

    /// Whether the last page is not whole.
    static func isCutOff(_ file: some RandomAccessBytes<Never>) -> Bool { end(of: file)?.isCutOff ?? false }

    private static func stream(
        _ file: some RandomAccessBytes<Never>, _ first: OggPage, head: [UInt8], last: Int64?
    ) -> ExactLength? {
        guard let last, let packet = first.segments(of: head.dropFirst(first.headerSize)).first.map(Array.init),
            let codec = Codec(packet)
        else { return nil }
        for limit in headLimits {
            let head = limit > headLimits[0] ? file.bytes(at: 0, count: limit) : head
            let length =
                switch codec {
                case .vorbis: VorbisLength.read(packet, head: head, last: last)
                case .opus: OpusLength.read(packet, head: head, last: last)
                case .flac: FLACInOggLength.read(packet, head: head, last: last)
                }
            if length != nil || head.count < limit { return length }
        }
        return nil
    }

    private enum Codec {
        case vorbis, opus, flac

        /// The codec of a stream by its first packet; `nil` for another one.
        init?(_ packet: [UInt8]) {
            if packet.starts(with: [1] + Array("vorbis".utf8)) {
                self = .vorbis
            } else if packet.starts(with: Array("OpusHead".utf8)) {
                self = .opus
            } else if packet.starts(with: [0x7F] + Array("FLAC".utf8)) {
                self = .flac
            } else {
                return nil
            }
        }
    }

    /// What the last whole page says.
    private struct End {
        var page: OggPage
        /// Where the page begins.
        var offset: Int64
        /// The last granule position of the stream in frames; `nil` without one.
        var frames: Int64?
        /// Whether a page begins behind it that is not whole.
        ///
        /// The mark of the last page of a stream does not count: recordings of stations, and encoders that were stopped, do not write it.
        /// So a file that is cut off exactly between two pages counts as whole.
        var isCutOff: Bool
    }

    /// The end of the last stream; `nil` without a page.
    private static func end(of file: some RandomAccessBytes<Never>) -> End? {
        let start = max(0, file.size - Int64(tailLimit))
        let tail = file.bytes(at: start, count: tailLimit)
        guard tail.count >= 27 else { return nil }
        var end: End?
        for index in stride(from: tail.count - 27, through: 0, by: -1) where tail[index] == 0x4F {
            guard let page = OggPage(intactIn: tail, at: index) else { continue }
            guard end?.page.serial ?? page.serial == page.serial else { break }
            if end == nil {
                let isCutOff = endsInPage(tail.dropFirst(index + page.size))
                end = End(page: page, offset: start + Int64(index), isCutOff: isCutOff)
            }
            // A page on which no packet ends has no granule; one before it has.
            if page.granule != OggPage.noGranule {
                end?.frames = page.frames
                return end
            }
        }
        return end
    }

    /// Whether bytes behind a page end in the middle of another one. Pages in between are damaged.
    private static func endsInPage(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = Array(bytes)
        while let page = OggPage(rest), page.size <= rest.count { rest.removeFirst(page.size) }
        return !rest.isEmpty && rest.prefix(4).elementsEqual("OggS".utf8.prefix(rest.count))
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
    /// The maximum number of frames in a packet: 120 ms.
    private static let maximumDuration: Int64 = 5_760

    static func read(_ header: [UInt8], head: [UInt8], last: Int64) -> ExactLength? {
        guard header.count >= 19, let preSkip = header.uint16(at: 10, .little),
            let start = OggLength.start(of: head, headers: 2, framesOf: frames)
        else { return nil }
        let count = last - max(0, start) - Int64(preSkip)
        return count > 0 ? ExactLength(frames: count, sampleRate: sampleRate) : nil
    }

    /// The number of frames in a packet, by its first two bytes (RFC 6716, sections 3.1 and 3.2.5).
    ///
    /// 0 for a packet that is longer than 120 ms, which is malformed: GStreamer's demuxer counts no frames for it, and libopus refuses it.
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
        default:
            let frames = perFrame * Int64((packet.dropFirst().first ?? 0) & 63)
            return frames <= maximumDuration ? frames : 0
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

/// The length of a FLAC stream in Ogg.
private enum FLACInOggLength {
    /// The size of what stands before the FLAC stream in the first packet: a signature, a version and the number of headers.
    private static let prefix: Int64 = 9

    static func read(_ packet: [UInt8], head: [UInt8], last: Int64) -> ExactLength? {
        let information = Int(prefix) + 8
        guard let header = FLACHeader(ArrayBytes(packet), at: prefix), packet.count >= information + 4,
            let others = packet.uint16(at: 7, .big), others > 0,
            let minimum = packet.uint16(at: information, .big),
            let maximum = packet.uint16(at: information + 2, .big),
            // The frames of a packet are known only in streams whose blocks have one size.
            minimum == maximum, maximum > 0,
            let start = OggLength.start(of: head, headers: 1 + Int(others), framesOf: { _ in Int64(maximum) })
        else { return nil }
        let frames = last - max(0, start)
        guard frames > 0, header.frames == 0 || frames <= header.frames else { return nil }
        return ExactLength(frames: frames, sampleRate: header.sampleRate)
    }
}
