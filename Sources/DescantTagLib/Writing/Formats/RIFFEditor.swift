internal import DescantContainers
internal import DescantCore

/// Edits WAVE and AIFF files: an ID3v2 tag in a chunk of its own, and the existing RIFF INFO fields.
struct RIFFEditor {
    let file: SourceFile
    let header: RIFFHeader

    private var order: ByteOrder { header.order }

    /// The pieces of the changed file.
    static func pieces(of file: SourceFile, edits: TagEdits) throws -> [Piece] {
        guard let header = try RIFFHeader(file) else { throw ContainerError.damaged("no RIFF header") }
        return try RIFFEditor(file: file, header: header).pieces(edits)
    }

    private func pieces(_ edits: TagEdits) throws -> [Piece] {
        let (chunks, end) = try chunks()
        var pieces: [Piece] = []
        var isTagged = false
        for chunk in chunks {
            if ["id3 ", "ID3 "].contains(chunk.name), !isTagged {
                isTagged = true
                var tag = try ID3v2Tag(try chunk.content(of: file))
                try tag.apply(edits)
                pieces.append(.new(bytes(chunk.name, try tag.bytes())))
            } else if chunk.name == "LIST", let info = try InfoList(try chunk.content(of: file)) {
                var info = info
                info.apply(edits)
                pieces.append(.new(bytes(chunk.name, info.bytes)))
            } else {
                pieces.append(.old(Int(chunk.start) - 8..<Int(min(chunk.next, file.size))))
                // A chunk of odd length at the end of the file may lack its filling byte.
                if chunk.next > file.size { pieces.append(.new([0])) }
            }
        }
        if !isTagged {
            var tag = ID3v2Tag()
            try tag.apply(edits)
            if !tag.frames.isEmpty { pieces.append(.new(bytes(header.isAIFF ? "ID3 " : "id3 ", try tag.bytes()))) }
        }
        // Announced bytes that are not a chunk stay inside the announced length.
        let rest = max(0, 8 + Int(header.contentSize) - end)
        let size = pieces.reduce(4 + rest) { $0 + $1.count }
        guard size <= Int(UInt32.max) else { throw ContainerError.unsupported("it would be longer than 4 GiB") }
        return [.old(0..<4), .new(.number(size, bytes: 4, order)), .old(8..<12)] + pieces + [.old(end..<file.byteCount)]
    }

    /// All chunks that the header announces, and the offset behind the last one. The list ends at a chunk with an invalid name,
    /// because the reader finds no tag behind it.
    ///
    /// Some programs append a tag without raising the announced length. The reader shows such a tag, so its chunk and the chunks in
    /// front of it are in the list.
    private func chunks() throws -> ([RIFFChunk], end: Int) {
        let end = 8 + header.contentSize
        guard header.contentSize >= 4, end <= file.size else {
            throw ContainerError.unsupported("its header does not give its length")
        }
        var (chunks, position): ([RIFFChunk], Int64) = ([], RIFFHeader.size)
        while position + 8 <= end, let chunk = try RIFFChunk(file, at: position, order), chunk.hasValidName {
            guard chunk.end <= end else {
                throw ContainerError.damaged("the chunk at byte \(position) is longer than the file")
            }
            position = try offset(behind: chunk)
            chunks.append(chunk)
        }
        var (further, place): ([RIFFChunk], Int64) = ([], position)
        while let chunk = try RIFFChunk(file, at: place, order), chunk.hasValidName, chunk.end <= file.size {
            place = try offset(behind: chunk)
            further.append(chunk)
            guard ["id3 ", "ID3 ", "LIST"].contains(chunk.name) else { continue }
            chunks += further
            (further, position) = ([], place)
        }
        return (chunks, Int(position))
    }

    /// The offset behind a chunk and its padding.
    ///
    /// - Throws: `ContainerError.unsupported` when the reader finds a chunk at the place of the padding byte.
    private func offset(behind chunk: RIFFChunk) throws -> Int64 {
        if chunk.next > chunk.end, try RIFFChunk(file, at: chunk.next, order)?.hasValidName != true,
            let unpadded = try RIFFChunk(file, at: chunk.end, order), unpadded.hasValidName, unpadded.end <= file.size
        {
            throw ContainerError.unsupported("the chunk at byte \(chunk.start - 8) lacks its padding byte")
        }
        return min(chunk.next, file.size)
    }

    private func bytes(_ name: String, _ content: [UInt8]) -> [UInt8] {
        (name.latin1 ?? []) + .number(content.count, bytes: 4, order) + content + (content.count % 2 == 1 ? [0] : [])
    }
}

/// The INFO list of a WAVE file. Existing fields are updated or removed, and none are added.
struct InfoList {
    private var fields: [(name: String, content: [UInt8])] = []

    /// Reads the content of a "LIST" chunk; `nil` for a list of another kind.
    init?(_ bytes: [UInt8]) throws(ContainerError) {
        guard bytes.starts(with: Array("INFO".utf8)) else { return nil }
        let list = ArrayBytes(bytes)
        var position: Int64 = 4
        while let chunk = RIFFChunk(list, at: position) {
            guard chunk.end <= list.size else { throw .damaged("an INFO field is longer than its list") }
            fields.append((chunk.name, chunk.content(of: list)))
            position = chunk.next
        }
    }

    var bytes: [UInt8] {
        fields.reduce(into: Array("INFO".utf8)) { bytes, field in
            bytes += field.name.latin1 ?? []
            bytes.append(field.content.count, bytes: 4, .little)
            bytes += field.content + (field.content.count % 2 == 1 ? [0] : [])
        }
    }

    mutating func apply(_ edits: TagEdits) {
        let names: [(String, TagField)] = [
            ("INAM", .title), ("IART", .artists), ("IPRD", .album), ("ICMT", .comment), ("IGNR", .genres),
            ("IPRT", .trackNumber), ("ITRK", .trackNumber),
        ]
        for (name, field) in names { set(name, edits[field]) }
        let date = fields.first { $0.name == "ICRD" }.map { String(decoding: $0.content, as: UTF8.self) }
        set("ICRD", edits.date(old: date))
    }

    private mutating func set(_ name: String, _ values: [String]?) {
        guard let values, let index = fields.firstIndex(where: { $0.name == name }) else { return }
        if values.isEmpty {
            fields.removeAll { $0.name == name }
        } else {
            fields[index].content = Array(values.joined(separator: ", ").utf8) + [0]
        }
    }
}
