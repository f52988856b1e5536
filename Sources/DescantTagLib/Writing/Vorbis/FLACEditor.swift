/// Edits FLAC files: a list of metadata blocks before the frames.
struct FLACEditor {
    private struct Block {
        var kind: Int
        var bytes: [UInt8]
    }

    private static let padding = 1
    private static let comments = 4
    private static let picture = 6

    /// The pieces of the changed file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - start: Where "fLaC" lies.
    ///   - change: What to write.
    static func pieces(of file: SourceFile, from start: Int, change: TagChange) throws -> [Piece] {
        let (blocks, end) = try blocks(of: file, from: start + 4)
        var changed = try edited(blocks, change)
        let room = end - start - 4
        let needed = changed.filter { $0.kind != padding }.reduce(0) { $0 + 4 + $1.bytes.count }
        changed.removeAll { $0.kind == padding }
        // As long as it fits, the sound stays where it is.
        let rest = room - needed
        if rest >= 4, rest - 4 <= 0xFF_FFFF {
            changed.append(Block(kind: padding, bytes: [UInt8](repeating: 0, count: rest - 4)))
        } else if rest != 0 {
            changed.append(Block(kind: padding, bytes: [UInt8](repeating: 0, count: 4_096)))
        }
        return [.old(0..<start + 4), .new(try bytes(changed)), .old(end..<file.size)]
    }

    private static func blocks(of file: SourceFile, from start: Int) throws -> ([Block], end: Int) {
        var (blocks, position, isLast): ([Block], Int, Bool) = ([], start, false)
        while !isLast {
            let header = try file.bytes(position..<position + 4)
            isLast = header[0] & 0x80 != 0
            let length = Int(header[1]) << 16 | Int(header[2]) << 8 | Int(header[3])
            position += 4
            blocks.append(Block(kind: Int(header[0] & 0x7F), bytes: try file.bytes(position..<position + length)))
            position += length
        }
        guard blocks.first?.kind == 0 else { throw EditError.damaged("it does not begin with STREAMINFO") }
        return (blocks, position)
    }

    private static func edited(_ blocks: [Block], _ change: TagChange) throws -> [Block] {
        var blocks = blocks
        let place = blocks.firstIndex { $0.kind == comments }
        var comment = try place.map { try VorbisComment(blocks[$0].bytes[...]) } ?? VorbisComment()
        comment.apply(change)
        let block = Block(kind: comments, bytes: comment.bytes)
        if let place { blocks[place] = block } else { blocks.insert(block, at: 1) }
        switch change.pictures {
        case .all(let pictures):
            let place = blocks.firstIndex { $0.kind == picture } ?? blocks.count
            blocks.removeAll { $0.kind == picture }
            let new = pictures.map { Block(kind: picture, bytes: FLACPicture.bytes($0)) }
            blocks.insert(contentsOf: new, at: min(place, blocks.count))
        case .frontCover(let cover):
            let block = Block(kind: picture, bytes: FLACPicture.bytes(cover))
            let place = blocks.firstIndex { $0.kind == picture && FLACPicture.isFrontCover($0.bytes) }
            if let place { blocks[place] = block } else { blocks.append(block) }
        case nil: break
        }
        return blocks
    }

    private static func bytes(_ blocks: [Block]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, block) in blocks.enumerated() {
            guard block.bytes.count <= 0xFF_FFFF else {
                throw EditError.unsupported("FLAC has no place for \(block.bytes.count) bytes in one piece")
            }
            bytes.append(UInt8(block.kind) | (index == blocks.count - 1 ? 0x80 : 0))
            bytes.appendBig(block.bytes.count, 3)
            bytes += block.bytes
        }
        return bytes
    }
}
