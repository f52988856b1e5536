/// Edits files that carry tags before and behind their sound: MP3, AAC (ADTS) and True Audio with ID3v2 in front, Monkey's Audio,
/// WavPack and Musepack with APE at the end. ID3v1 and APE tags that are there are kept in step.
struct FrontAndBackEditor {
    /// The pieces of the changed file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - change: What to write.
    ///   - usesAPE: Whether the format keeps its tags as APE; else as ID3v2.
    static func pieces(of file: SourceFile, change: TagChange, usesAPE: Bool) throws -> [Piece] {
        let frontCount = ID3v2Tag.count(try file.bytesIfThere(0..<10)[...]) ?? 0
        guard frontCount <= file.size else { throw EditError.damaged("its ID3v2 tag is longer than the file") }
        var pieces: [Piece] = []
        if frontCount > 0 || !usesAPE {
            var tag = frontCount > 0 ? try ID3v2Tag(try file.bytes(0..<frontCount)) : ID3v2Tag()
            try tag.apply(change)
            pieces.append(.new(try tag.bytes()))
        }
        let (soundEnd, back) = try back(of: file, from: frontCount, change: change, usesAPE: usesAPE)
        return pieces + [.old(frontCount..<soundEnd), .new(back)]
    }

    private static func back(
        of file: SourceFile, from start: Int, change: TagChange, usesAPE: Bool
    ) throws -> (soundEnd: Int, [UInt8]) {
        var (end, block): (Int, ID3v1Block?) = (file.size, nil)
        if end - start >= ID3v1Block.count {
            block = ID3v1Block(try file.bytes(end - ID3v1Block.count..<end))
            if block != nil { end -= ID3v1Block.count }
        }
        block?.apply(change)
        var tag = try APETag(in: file, endingAt: end)
        end -= tag?.oldCount ?? 0
        guard end >= start else { throw EditError.damaged("its tags overlap") }
        if usesAPE, tag == nil { tag = APETag() }
        tag?.apply(change)
        return (end, (tag?.bytes ?? []) + (block?.bytes ?? []))
    }
}
