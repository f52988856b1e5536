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
    ///   - edits: What to write.
    static func pieces(of file: SourceFile, from start: Int, edits: TagEdits) throws -> [Piece] {
        let (blocks, end) = try blocks(of: file, from: start + 4)
        var changed = try edited(blocks, edits)
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
        let (front, back, soundEnd) = try otherTags(of: file, from: end, start: start, edits: edits)
        return [.new(front), .old(start..<start + 4), .new(try bytes(changed)), .old(end..<soundEnd), .new(back)]
    }

    /// ID3 tags around the stream, which the reader shows where the comments lack a field. Existing ones are updated.
    private static func otherTags(
        of file: SourceFile, from sound: Int, start: Int, edits: TagEdits
    ) throws -> (front: [UInt8], back: [UInt8], soundEnd: Int) {
        var front: [UInt8] = []
        if start > 0 {
            var tag = try ID3v2Tag(try file.bytes(0..<start))
            try tag.apply(edits.withoutPictures)
            if let pictures = edits.pictures { removePictures(of: pictures, from: &tag) }
            front = try tag.bytes()
        }
        guard var block = try ID3v1Block(atEndOf: file, from: sound) else { return (front, [], file.byteCount) }
        block.apply(edits)
        return (front, block.bytes, file.byteCount - block.bytes.count)
    }

    /// Removes pictures from the tag in front of the stream. New pictures become blocks of the stream only.
    ///
    /// The reader shows the pictures of the tag where the stream has none. When a change leaves none in the stream, those of the tag
    /// would appear in their place, so all of them are removed.
    private static func removePictures(of edit: PictureEdit, from tag: inout ID3v2Tag) {
        let version = tag.version
        let removed = edit.old.filter { !edit.new.contains($0) && !$0.data.isEmpty }
        tag.frames.removeAll { frame in
            // iTunes leaves the name of version 2.2 in tags of version 2.3.
            guard ["APIC", "PIC", "PIC\0"].contains(frame.id) else { return false }
            if edit.removesHidden { return true }
            // The reader does not show encrypted pictures.
            guard !frame.isEncrypted(in: version) else { return false }
            if edit.new.isEmpty { return true }
            guard let content = frame.plainContent(in: version) else { return false }
            return removed.contains { content.suffix($0.data.count).elementsEqual($0.data) }
        }
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

    private static func edited(_ blocks: [Block], _ edits: TagEdits) throws -> [Block] {
        var blocks = blocks
        let place = blocks.firstIndex { $0.kind == Kind.comment }
        var comment = try place.map { try VorbisComment(blocks[$0].bytes[...]) } ?? VorbisComment()
        comment.apply(edits)
        // Pictures in comments are shown before those in blocks.
        let taken = edits.pictures == nil ? [] : comment.takePictures()
        let block = Block(kind: Kind.comment, bytes: comment.bytes)
        if let place { blocks[place] = block } else if !comment.lines.isEmpty { blocks.insert(block, at: 1) }
        if let pictures = edits.pictures {
            let place = blocks.firstIndex { $0.kind == Kind.picture } ?? blocks.count
            let old = taken.map { Block(kind: Kind.picture, bytes: $0) } + blocks.filter { $0.kind == Kind.picture }
            blocks.removeAll { $0.kind == Kind.picture }
            let new = try pictures.entries(
                old, bytes: { FLACPicture.data(of: $0.bytes) },
                make: { Block(kind: Kind.picture, bytes: FLACPicture.bytes($0)) })
            blocks.insert(contentsOf: new, at: min(place, blocks.count))
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

    /// The picture in a block; empty when the block is damaged.
    static func data(of block: [UInt8]) -> [UInt8] {
        var reader = ByteReader(block)
        do {
            _ = try reader.take(4)
            for _ in 0..<2 { _ = try reader.take(try reader.number(4, .big)) }
            _ = try reader.take(16)
            return Array(try reader.take(try reader.number(4, .big)))
        } catch {
            return []
        }
    }
}
