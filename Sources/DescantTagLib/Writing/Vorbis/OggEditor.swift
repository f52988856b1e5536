/// Edits Ogg Vorbis and Opus files: the second packet of the stream holds the comments.
struct OggEditor {
    /// What the packets of a codec are.
    private enum Codec {
        case vorbis, opus

        /// How many packets come before the sound.
        var headerCount: Int { self == .vorbis ? 3 : 2 }
        /// What the comment packet begins with.
        var signature: [UInt8] { self == .vorbis ? Array("\u{3}vorbis".utf8) : Array("OpusTags".utf8) }

        init(_ first: [UInt8]) throws {
            if first.starts(with: Array("\u{1}vorbis".utf8)) {
                self = .vorbis
            } else if first.starts(with: Array("OpusHead".utf8)) {
                self = .opus
            } else {
                throw EditError.unsupported("tags in Ogg are written for Vorbis and Opus only")
            }
        }
    }

    let file: SourceFile

    /// The pieces of the changed file.
    static func pieces(of file: SourceFile, change: TagChange) throws -> [Piece] {
        try OggEditor(file: file).pieces(change)
    }

    private func pieces(_ change: TagChange) throws -> [Piece] {
        let first = try OggPage(of: file, at: 0)
        let codec = try Codec(try file.bytes(first.body))
        let (pages, packets) = try headers(codec, after: first)
        guard packets[0].starts(with: codec.signature) else { throw EditError.damaged("the comments are missing") }
        var comment = try VorbisComment(packets[0].dropFirst(codec.signature.count))
        comment.apply(change, usesR128: codec == .opus)
        if let pictures = change.pictures { comment.applyPictures(pictures) }
        var changed = packets
        changed[0] = codec.signature + comment.bytes
        let start = pages.first?.sequence ?? 1
        let (bytes, count) = Self.laidOut(changed, serial: first.serial, from: start)
        let end = pages.last?.end ?? first.end
        return [.old(0..<first.end), .new(bytes)] + (try rest(from: end, first.serial, shift: count - pages.count))
    }

    /// The pages and packets between the first page and the sound, which begins on a page of its own.
    private func headers(_ codec: Codec, after first: OggPage) throws -> ([OggPage], packets: [[UInt8]]) {
        var (pages, packets, packet): ([OggPage], [[UInt8]], [UInt8]) = ([], [], [])
        var position = first.end
        while packets.count < codec.headerCount - 1 {
            let page = try OggPage(of: file, at: position)
            guard page.serial == first.serial else {
                throw EditError.unsupported("several streams side by side in one Ogg file")
            }
            var body = try file.bytes(page.body)[...]
            for length in page.lacing {
                packet += body.prefix(Int(length))
                body = body.dropFirst(Int(length))
                if length < 255 {
                    packets.append(packet)
                    packet = []
                }
            }
            pages.append(page)
            position = page.end
        }
        guard packets.count == codec.headerCount - 1, packet.isEmpty else {
            throw EditError.unsupported("sound begins on the same page as the comments end")
        }
        return (pages, packets)
    }

    /// Packets on pages, and how many pages that takes.
    private static func laidOut(_ packets: [[UInt8]], serial: [UInt8], from start: Int) -> ([UInt8], count: Int) {
        var lacing: [(length: UInt8, ends: Bool)] = []
        for packet in packets {
            lacing += [(UInt8, Bool)](repeating: (255, false), count: packet.count / 255)
            lacing.append((UInt8(packet.count % 255), true))
        }
        let body = packets.flatMap(\.self)
        var (bytes, position, segment, count) = ([UInt8](), 0, 0, 0)
        while segment < lacing.count {
            let part = lacing[segment..<min(segment + 255, lacing.count)]
            let length = part.reduce(0) { $0 + Int($1.length) }
            let continues = segment > 0 && !lacing[segment - 1].ends
            // A page on which no packet ends has no position.
            let granule = [UInt8](repeating: part.contains { $0.ends } ? 0 : 0xFF, count: 8)
            let content = body[position..<position + length]
            bytes += OggPage.header(
                flags: continues ? 0x01 : 0, granule: granule, serial: serial, sequence: start + count,
                lacing: part.map(\.length), body: content)
            bytes += content
            (position, segment, count) = (position + length, segment + part.count, count + 1)
        }
        return (bytes, count)
    }

    /// The pages behind the headers, renumbered when there are more or fewer headers than before.
    private func rest(from start: Int, _ serial: [UInt8], shift: Int) throws -> [Piece] {
        guard shift != 0 else { return [.old(start..<file.size)] }
        var (pieces, position): ([Piece], Int) = ([], start)
        while position < file.size {
            // A further stream follows, or bytes of no stream: as they are.
            guard let page = try? OggPage(of: file, at: position), page.serial == serial, !page.isFirst else { break }
            let header = OggPage.header(
                flags: page.flags, granule: page.granule, serial: page.serial, sequence: page.sequence + shift,
                lacing: page.lacing, body: try file.bytes(page.body)[...])
            pieces += [.new(header), .old(page.body)]
            position = page.end
        }
        return pieces + [.old(position..<file.size)]
    }
}
