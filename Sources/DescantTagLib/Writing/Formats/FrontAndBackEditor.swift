internal import CTagLibShim
internal import DescantContainers
internal import DescantCore

/// Edits files with tags before and behind their sound: MP3, AAC (ADTS) and True Audio with ID3v2 in front, Monkey's Audio,
/// WavPack and Musepack with APE at the end. Existing ID3v1 and APE tags are updated.
struct FrontAndBackEditor {
    /// The pieces of the changed file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - edits: What to write.
    ///   - usesAPE: Whether the tags of the format are APE, not ID3v2.
    static func pieces(of file: SourceFile, edits: TagEdits, usesAPE: Bool) throws -> [Piece] {
        let frontCount = ID3v2Header(try file.bytes(at: 0, count: ID3v2Header.size))?.standardSize ?? 0
        guard frontCount <= file.byteCount else {
            throw ContainerError.damaged("its ID3v2 tag is longer than the file")
        }
        var pieces: [Piece] = []
        if frontCount > 0 || !usesAPE {
            var tag = frontCount > 0 ? try ID3v2Tag(try file.bytes(0..<frontCount)) : ID3v2Tag()
            try tag.apply(edits)
            if frontCount > 0 || !tag.frames.isEmpty { pieces.append(.new(try tag.bytes())) }
        }
        let (soundEnd, back) = try back(of: file, from: frontCount, edits: edits, usesAPE: usesAPE)
        return pieces + [.old(frontCount..<soundEnd), .new(back)]
    }

    private static func back(
        of file: SourceFile, from start: Int, edits: TagEdits, usesAPE: Bool
    ) throws -> (soundEnd: Int, [UInt8]) {
        var block = try ID3v1Block(atEndOf: file, from: start)
        var end = file.byteCount - (block?.bytes.count ?? 0)
        block?.apply(edits)
        var tag = try APETag(in: file, endingAt: end)
        end -= tag?.oldCount ?? 0
        guard end >= start else { throw ContainerError.damaged("its tags overlap") }
        if usesAPE, tag == nil { tag = APETag() }
        tag?.apply(edits)
        if tag?.items.isEmpty == true { tag = nil }
        return (end, (tag?.bytes ?? []) + (block?.bytes ?? []))
    }
}

/// The 128 bytes of ID3v1 at the end of a file. An existing block is updated, and none is added.
struct ID3v1Block {
    private static let count = 128

    private(set) var bytes: [UInt8]

    /// Reads the block at the end of a file, behind an offset; `nil` when there is none.
    init?(atEndOf file: SourceFile, from start: Int) throws {
        let end = file.byteCount
        guard end - start >= Self.count else { return nil }
        bytes = try file.bytes(end - Self.count..<end)
        guard bytes.starts(with: Array("TAG".utf8)) else { return nil }
        // The header of an APE tag of 131 bytes has the same letters there.
        let ape = Array("APETAGEX".utf8)
        let before = try file.bytes(max(start, end - Self.count - 3)..<end)
        if before.starts(with: ape) { return nil }
    }

    mutating func apply(_ edits: TagEdits) {
        set(edits[.title], at: 3, 30)
        set(edits[.artists], at: 33, 30)
        set(edits[.album], at: 63, 30)
        set(edits[.year], at: 93, 4)
        // Version 1.1 keeps the track's number in the last two bytes of the comment.
        let hasNumber = bytes[125] == 0 && bytes[126] != 0
        let number = edits[.trackNumber].map { $0.first.flatMap { UInt8($0) } ?? 0 }
        set(edits[.comment], at: 97, hasNumber || number != nil ? 28 : 30)
        if let number, number > 0 || hasNumber { bytes.replaceSubrange(125..<127, with: [0, number]) }
        if let genre = edits[.genres] { bytes[127] = UInt8(dtl_genre_index(genre.first ?? "")) }
    }

    private mutating func set(_ values: [String]?, at start: Int, _ count: Int) {
        guard let values else { return }
        let text = values.joined(separator: ", ").unicodeScalars.map { $0.value <= 0xFF ? UInt8($0.value) : 0x3F }
        let padded = text.prefix(count) + [UInt8](repeating: 0, count: max(0, count - text.count))
        bytes.replaceSubrange(start..<start + count, with: padded)
    }
}
