/// Bytes that stand for others of a file.
struct BytePatch: Sendable, Equatable {
    /// Where, from the beginning of the file.
    var offset: Int64
    var bytes: [UInt8]

    /// Puts the part that falls into a stretch of the file there.
    func apply(to stretch: inout [UInt8], at start: Int64) {
        for (index, byte) in bytes.enumerated() {
            let place = offset + Int64(index) - start
            if place >= 0, place < Int64(stretch.count) { stretch[Int(place)] = byte }
        }
    }
}
