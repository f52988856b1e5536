/// Edits WAVE and AIFF files: an ID3v2 tag in a chunk of its own, and the RIFF INFO fields that are there.
struct RIFFEditor {
    private struct Chunk {
        var name: String
        /// The content, without name, size and filling byte.
        var content: Range<Int>
        var end: Int
    }

    let file: SourceFile
    let isAIFF: Bool

    /// The pieces of the changed file.
    static func pieces(of file: SourceFile, change: TagChange) throws -> [Piece] {
        let name = String(latin1: try file.bytes(0..<4))
        return try RIFFEditor(file: file, isAIFF: name == "FORM").pieces(change)
    }

    private func pieces(_ change: TagChange) throws -> [Piece] {
        let (chunks, end) = try chunks()
        var pieces: [Piece] = []
        var isTagged = false
        for chunk in chunks {
            if ["id3 ", "ID3 "].contains(chunk.name), !isTagged {
                isTagged = true
                var tag = try ID3v2Tag(try file.bytes(chunk.content))
                try tag.apply(change)
                pieces.append(.new(bytes(chunk.name, try tag.bytes())))
            } else if chunk.name == "LIST", let info = try InfoList(try file.bytes(chunk.content)) {
                var info = info
                info.apply(change)
                pieces.append(.new(bytes(chunk.name, info.bytes)))
            } else {
                pieces.append(.old(chunk.content.lowerBound - 8..<chunk.end))
                // A chunk of odd length at the end of the file may lack its filling byte.
                if chunk.end - chunk.content.lowerBound < chunk.content.count + chunk.content.count % 2 {
                    pieces.append(.new([0]))
                }
            }
        }
        if !isTagged {
            var tag = ID3v2Tag()
            try tag.apply(change)
            pieces.append(.new(bytes(isAIFF ? "ID3 " : "id3 ", try tag.bytes())))
        }
        let size = pieces.reduce(4) { $0 + $1.count }
        guard size <= Int(UInt32.max) else { throw EditError.unsupported("it would be longer than 4 GiB") }
        return [.old(0..<4), .new(number(size)), .old(8..<12)] + pieces + [.old(end..<file.size)]
    }

    private func chunks() throws -> ([Chunk], end: Int) {
        var header = ByteReader(try file.bytes(4..<8))
        let size = isAIFF ? try header.big(4) : try header.little(4)
        guard size >= 4, size <= file.size - 8 else {
            throw EditError.unsupported("its header does not tell how long it is")
        }
        var (chunks, position): ([Chunk], Int) = ([], 12)
        while position + 8 <= 8 + size {
            var reader = ByteReader(try file.bytes(position..<position + 8))
            let name = try reader.name()
            let count = isAIFF ? try reader.big(4) : try reader.little(4)
            let content = position + 8..<position + 8 + count
            guard content.upperBound <= 8 + size else {
                throw EditError.damaged("the chunk at byte \(position) is longer than the file")
            }
            position = min(content.upperBound + count % 2, file.size)
            chunks.append(Chunk(name: name, content: content, end: position))
        }
        return (chunks, position)
    }

    private func number(_ value: Int) -> [UInt8] { isAIFF ? .big(value, 4) : .little(value, 4) }

    private func bytes(_ name: String, _ content: [UInt8]) -> [UInt8] {
        (name.latin1 ?? []) + number(content.count) + content + (content.count % 2 == 1 ? [0] : [])
    }
}
