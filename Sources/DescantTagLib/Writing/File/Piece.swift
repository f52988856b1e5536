/// A piece of the new file.
enum Piece: Equatable {
    /// Bytes of the old file, copied as they are.
    case old(Range<Int>)
    /// Bytes made anew.
    case new([UInt8])

    /// How many bytes it has.
    var count: Int {
        switch self {
        case .old(let range): range.count
        case .new(let bytes): bytes.count
        }
    }
}
