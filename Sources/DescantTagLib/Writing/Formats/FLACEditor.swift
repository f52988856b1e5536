internal import DescantContainers
internal import DescantCore

/// Edits the metadata blocks of FLAC files.
struct FLACEditor {
    private struct Block {
        var kind: UInt8
        var bytes: [UInt8]
    }

    private typealias Kind = FLACBlock.Kind

    /// The pieces of the changed file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - start: The offset of "fLaC".
    ///   - change: What to write.
    static func pieces(of file: SourceFile, from start: Int, change: TagChange) throws -> [Piece] {
        let (blocks, end) = try blocks(of: file, from: start + 4)
        var changed = try edited(blocks, change)
        let room = end - start - 4
        let needed = changed.filter { $0.kind != Kind.padding }.reduce(0) { $0 + 4 + $1.bytes.count }
        changed.removeAll { $0.kind == Kind.padding }
        // Padding takes up the difference, so that the sound stays where it is.
        let rest = room - needed
        if rest >= 4, rest - 4 <= 0xFF_FFFF {
            changed.append(Block(kind: Kind.padding, bytes: [UInt8](repeating: 0, count: rest - 4)))
        } else if rest != 0 {
            changed.append(Block(kind: Kind.padding, bytes: [UInt8](repeating: 0, count: 4_096)))
        }
        return [.old(0..<start + 4), .new(try bytes(changed)), .old(end..<file.byteCount)]
    }

    private static func blocks(of file: SourceFile, from start: Int) throws -> ([Block], end: Int) {
        var (blocks, position, isLast): ([Block], Int, Bool) = ([], start, false)
        while !isLast {
            guard let block = try FLACBlock(file, at: Int64(position)) else {
                throw ContainerError.damaged("its metadata blocks do not end")
            }
            position = Int(block.end)
            blocks.append(Block(kind: block.kind, bytes: try file.bytes(Int(block.start)..<position)))
            isLast = block.isLast
        }
        guard blocks.first?.kind == Kind.streamInfo else {
            throw ContainerError.damaged("it does not begin with STREAMINFO")
        }
        return (blocks, position)
    }

    private static func edited(_ blocks: [Block], _ change: TagChange) throws -> [Block] {
        var blocks = blocks
        let place = blocks.firstIndex { $0.kind == Kind.comment }
        var comment = try place.map { try VorbisComment(blocks[$0].bytes[...]) } ?? VorbisComment()
        comment.apply(change)
        let block = Block(kind: Kind.comment, bytes: comment.bytes)
        if let place { blocks[place] = block } else { blocks.insert(block, at: 1) }
        switch change.pictures {
        case .all(let pictures):
            let place = blocks.firstIndex { $0.kind == Kind.picture } ?? blocks.count
            blocks.removeAll { $0.kind == Kind.picture }
            let new = pictures.map { Block(kind: Kind.picture, bytes: FLACPicture.bytes($0)) }
            blocks.insert(contentsOf: new, at: min(place, blocks.count))
        case .frontCover(let cover):
            let block = Block(kind: Kind.picture, bytes: FLACPicture.bytes(cover))
            let place = blocks.firstIndex { $0.kind == Kind.picture && FLACPicture.isFrontCover($0.bytes) }
            if let place { blocks[place] = block } else { blocks.append(block) }
        case nil: break
        }
        return blocks
    }

    private static func bytes(_ blocks: [Block]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, block) in blocks.enumerated() {
            guard block.bytes.count <= 0xFF_FFFF else {
                throw ContainerError.unsupported("FLAC has no place for \(block.bytes.count) bytes in one piece")
            }
            bytes.append(block.kind | (index == blocks.count - 1 ? 0x80 : 0))
            bytes.append(block.bytes.count, bytes: 3, .big)
            bytes += block.bytes
        }
        return bytes
    }
}

/// The picture block of FLAC (RFC 9639, section 8.8).
enum FLACPicture {
    static func bytes(_ picture: TagPicture) -> [UInt8] {
        let type = Array((picture.mimeType ?? "").utf8)
        let description = Array(picture.description.utf8)
        var bytes: [UInt8] = []
        bytes.append(picture.kind.rawValue, bytes: 4, .big)
        bytes.append(type.count, bytes: 4, .big)
        bytes += type
        bytes.append(description.count, bytes: 4, .big)
        bytes += description
        // Width, height, depth and number of colours: 0 stands for unknown.
        bytes += [UInt8](repeating: 0, count: 16)
        bytes.append(picture.data.count, bytes: 4, .big)
        return bytes + picture.data
    }

    static func isFrontCover(_ bytes: some Sequence<UInt8>) -> Bool { bytes.prefix(4).elementsEqual([0, 0, 0, 3]) }
}
