internal import DescantContainers

/// Edits Ogg Vorbis and Opus files: the second packet of the stream holds the comments.
struct OggEditor {
    /// The codec of the stream.
    private enum Codec {
        case vorbis, opus

        /// The number of packets before the sound.
        var headerCount: Int { self == .vorbis ? 3 : 2 }
        /// The first bytes of the comment packet.
        var signature: [UInt8] { self == .vorbis ? Array("\u{3}vorbis".utf8) : Array("OpusTags".utf8) }

        init(_ first: [UInt8]) throws {
            if first.starts(with: Array("\u{1}vorbis".utf8)) {
                self = .vorbis
            } else if first.starts(with: Array("OpusHead".utf8)) {
                self = .opus
            } else {
                throw ContainerError.unsupported("tags in Ogg are written for Vorbis and Opus only")
            }
        }
    }

    /// The maximum size of all pages of headers in bytes.
    private static let headerLimit = 256 << 20

    let file: SourceFile

    /// The pieces of the changed file.
    static func pieces(of file: SourceFile, edits: TagEdits) throws -> [Piece] {
        try OggEditor(file: file).pieces(edits)
    }

    private func pieces(_ edits: TagEdits) throws -> [Piece] {
        let first = try page(at: 0)
        let firstEnd = first.size
        let codec = try Codec(try file.bytes(first.headerSize..<firstEnd))
        let headers = try headers(codec, serial: first.serial, from: firstEnd)
        guard headers.packets[0].starts(with: codec.signature) else {
            throw ContainerError.damaged("the comments are missing")
        }
        var comment = try VorbisComment(headers.packets[0].dropFirst(codec.signature.count))
        comment.apply(edits, usesR128: codec == .opus)
        if let pictures = edits.pictures { try comment.apply(pictures) }
        var changed = headers.packets
        changed[0] = (codec.signature + comment.bytes)[...]
        let (bytes, count) = Self.pages(of: changed, serial: first.serial, from: headers.sequence)
        return [.old(0..<firstEnd), .new(bytes)]
            + (try sound(from: headers.end, first.serial, shift: count - headers.pageCount))
    }

    /// The header of the page at an offset, of which all bytes are there.
    private func page(at offset: Int) throws -> OggPage {
        let header = try file.bytes(at: Int64(offset), count: OggPage.maximumHeaderSize)
        guard let page = OggPage(header), page.version == 0 else {
            throw ContainerError.damaged("no Ogg page at byte \(offset)")
        }
        guard page.size <= file.byteCount - offset else {
            throw ContainerError.damaged("the Ogg page at byte \(offset) is cut off")
        }
        return page
    }

    /// The packets between the first page and the sound, which begins on a page of its own.
    private struct Headers {
        var packets: [ArraySlice<UInt8>] = []
        /// The number of the first of their pages.
        var sequence: UInt32 = 1
        var pageCount = 0
        /// The offset of the first page of sound.
        var end: Int
    }

    private func headers(_ codec: Codec, serial: UInt32, from start: Int) throws -> Headers {
        var headers = Headers(end: start)
        var assembler = OggPacketAssembler()
        while headers.packets.count < codec.headerCount - 1 {
            let page = try page(at: headers.end)
            guard page.serial == serial else {
                throw ContainerError.unsupported("several streams side by side in one Ogg file")
            }
            guard headers.end + page.size - start <= Self.headerLimit else {
                throw ContainerError.unsupported("more than \(Self.headerLimit) bytes of headers")
            }
            let body = try file.bytes(headers.end + page.headerSize..<headers.end + page.size)
            headers.packets += assembler.packets(of: page, body: body[...])
            if headers.pageCount == 0 { headers.sequence = page.sequence }
            headers.pageCount += 1
            headers.end += page.size
        }
        guard headers.packets.count == codec.headerCount - 1, !assembler.isInsidePacket else {
            throw ContainerError.unsupported("sound begins on the same page as the comments end")
        }
        return headers
    }

    /// Distributes packets over pages.
    private static func pages(
        of packets: [ArraySlice<UInt8>], serial: UInt32, from start: UInt32
    ) -> ([UInt8], count: Int) {
        var lacing: [(length: UInt8, ends: Bool)] = []
        for packet in packets {
            lacing += [(UInt8, Bool)](repeating: (255, false), count: packet.count / 255)
            lacing.append((UInt8(packet.count % 255), true))
        }
        var body: [UInt8] = []
        for packet in packets { body += packet }
        var (bytes, position, segment, count) = ([UInt8](), 0, 0, 0)
        while segment < lacing.count {
            let part = lacing[segment..<min(segment + 255, lacing.count)]
            let length = part.reduce(0) { $0 + Int($1.length) }
            let continues = segment > 0 && !lacing[segment - 1].ends
            let page = OggPage(
                flags: continues ? 1 : 0, granule: part.contains { $0.ends } ? 0 : OggPage.noGranule, serial: serial,
                sequence: start &+ UInt32(truncatingIfNeeded: count), lacing: part.map(\.length))
            let content = body[position..<position + length]
            bytes += page.bytes(sealing: content) + content
            (position, segment, count) = (position + length, segment + part.count, count + 1)
        }
        return (bytes, count)
    }

    /// The pages behind the headers, renumbered when the number of header pages changes. The checksum of a damaged page stays wrong.
    private func sound(from start: Int, _ serial: UInt32, shift: Int) throws -> [Piece] {
        guard shift != 0 else { return [.old(start..<file.byteCount)] }
        var (pieces, position): ([Piece], Int) = ([], start)
        while position < file.byteCount {
            // Pages of another stream, and bytes that are no page, stay as they are.
            guard var page = try? page(at: position), page.serial == serial, !page.beginsStream else { break }
            let body = position + page.headerSize..<position + page.size
            page.renumber(page.sequence &+ UInt32(truncatingIfNeeded: shift))
            pieces += [.new(page.header), .old(body)]
            position = body.upperBound
        }
        return pieces + [.old(position..<file.byteCount)]
    }
}
