internal import CTagLibShim

/// The 128 bytes of ID3v1 at the end of a file. They are kept in step with what is written elsewhere, and never added.
struct ID3v1Block {
    static let count = 128

    private(set) var bytes: [UInt8]

    /// - Returns: `nil` when the bytes are no such block.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.count, bytes.starts(with: Array("TAG".utf8)) else { return nil }
        self.bytes = bytes
    }

    mutating func apply(_ change: TagChange) {
        set(change[.title], at: 3, 30)
        set(change[.artist], at: 33, 30)
        set(change[.album], at: 63, 30)
        set(change[.date], at: 93, 4)
        // Version 1.1 keeps the track's number in the last two bytes of the comment.
        let hasNumber = bytes[125] == 0 && bytes[126] != 0
        let number = change[.track]?.first.flatMap { UInt8($0) }
        set(change[.comment], at: 97, hasNumber || number != nil ? 28 : 30)
        if let number { bytes.replaceSubrange(125..<127, with: [0, number]) }
        if let genre = change[.genre] { bytes[127] = UInt8(dtl_genre_index(genre.first ?? "")) }
    }

    private mutating func set(_ values: [String]?, at start: Int, _ count: Int) {
        guard let values else { return }
        let text = values.joined(separator: ", ").unicodeScalars.map { $0.value <= 0xFF ? UInt8($0.value) : 0x3F }
        let padded = text.prefix(count) + [UInt8](repeating: 0, count: max(0, count - text.count))
        bytes.replaceSubrange(start..<start + count, with: padded)
    }
}
