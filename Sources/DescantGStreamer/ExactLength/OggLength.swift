/// Reads the first and the last pages of an Ogg file with one Vorbis or Opus stream.
enum OggLength {
    /// Bytes at the beginning that hold the headers and the first sound; covers are put among the headers.
    private static let headLimit = 1 << 20
    /// Bytes at the end in which the last page is looked for.
    private static let tailLimit = 2 * OggPage.maximumSize

    static func read(_ reader: some ByteReader) -> ExactLength? {
        let head = reader.bytes(at: 0, count: headLimit)
        guard let first = OggPage(head, at: 0), first.beginsStream, let packet = first.segments.first else {
            return nil
        }
        // A second stream beside the first, or behind it, has another serial number on the last page.
        guard let last = lastGranule(reader, serial: first.serial) else { return nil }
        if packet.starts(with: Array("OpusHead".utf8)) { return OpusLength.read(packet, head: head, last: last) }
        if packet.starts(with: [1] + Array("vorbis".utf8)) { return VorbisLength.read(packet, head: head, last: last) }
        return nil
    }

    private static func lastGranule(_ reader: some ByteReader, serial: UInt32) -> Int64? {
        let start = max(0, reader.size - Int64(tailLimit))
        let tail = reader.bytes(at: start, count: tailLimit)
        guard tail.count >= 27 else { return nil }
        for index in stride(from: tail.count - 27, through: 0, by: -1) where tail[index] == 0x4F {
            guard let page = OggPage(tail, at: index) else { continue }
            guard page.serial == serial else { return nil }
            // A page on which no packet ends has no granule; one before it has.
            if page.granule != OggPage.noGranule { return page.frames }
        }
        return nil
    }

    /// Where the stream's time begins: the first page with sound that names a time, less the sound on the pages up to it.
    ///
    /// - Parameters:
    ///   - headers: How many packets stand before the sound.
    ///   - framesOf: Frames that the next packet adds.
    static func start(of head: [UInt8], headers: Int, framesOf: (ArraySlice<UInt8>) -> Int64) -> Int64? {
        var offset = 0
        var packet = 0
        var frames: Int64 = 0
        var open: [UInt8] = []
        while let page = OggPage(head, at: offset) {
            offset += page.size
            for (index, segment) in page.segments.enumerated() {
                if index == page.segments.count - 1, page.isLastOpen {
                    open.append(contentsOf: segment)
                    continue
                }
                let whole = open.isEmpty ? segment : (open + segment)[...]
                open.removeAll()
                if packet >= headers { frames += framesOf(whole) }
                packet += 1
            }
            guard packet > headers, page.granule != OggPage.noGranule else { continue }
            guard let end = page.frames else { return nil }
            // On the last page a short granule means that the end is cut, not the beginning.
            return page.endsStream ? max(0, end - frames) : end - frames
        }
        return nil
    }

    /// The packets before the sound, whole; `nil` when they do not fit into the head.
    static func headerPackets(of head: [UInt8], count: Int) -> [[UInt8]]? {
        var offset = 0
        var packets: [[UInt8]] = []
        var open: [UInt8] = []
        while let page = OggPage(head, at: offset) {
            offset += page.size
            for (index, segment) in page.segments.enumerated() {
                open.append(contentsOf: segment)
                if index == page.segments.count - 1, page.isLastOpen { continue }
                packets.append(open)
                open.removeAll()
                if packets.count == count { return packets }
            }
        }
        return nil
    }
}
