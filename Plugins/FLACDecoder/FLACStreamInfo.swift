/// The first metadata block of a FLAC stream (RFC 9639, section 8.2), with corrections for libFLAC.
struct FLACStreamInfo {
    private var bytes: [UInt8]
    private let offset: Int
    /// Whether something was corrected.
    private(set) var isCorrected = false

    private static let length = 34

    /// Reads the block.
    ///
    /// - Parameters:
    ///   - content: What follows the marker.
    ///   - offset: Where that is in the file.
    /// - Returns: `nil` when another block stands there.
    init?(_ content: ArraySlice<UInt8>, at offset: Int) {
        let content = Array(content.prefix(4 + Self.length))
        guard content.count == 4 + Self.length, content[0] & 0x7f == 0, content[1...3].elementsEqual([0, 0, 34]) else {
            return nil
        }
        bytes = Array(content[4...])
        self.offset = offset + 4
    }

    /// Frames of the smallest block.
    var blockSize: Int { Int(bytes[0]) << 8 | Int(bytes[1]) }

    /// Whether all blocks have one size, so that they are numbered.
    var hasOneBlockSize: Bool { bytes[0] == bytes[2] && bytes[1] == bytes[3] }

    mutating func set(blockSize: Int) {
        for index in [0, 2] {
            bytes[index] = UInt8(truncatingIfNeeded: blockSize >> 8)
            bytes[index + 1] = UInt8(truncatingIfNeeded: blockSize)
        }
        isCorrected = true
    }

    mutating func set(frameCount: Int64) {
        bytes[13] = bytes[13] & 0xf0 | UInt8(truncatingIfNeeded: frameCount >> 32) & 15
        for index in 0..<4 { bytes[14 + index] = UInt8(truncatingIfNeeded: frameCount >> Int64(8 * (3 - index))) }
        isCorrected = true
    }

    /// Writes the corrections into bytes that were read from a place in the file.
    func correct(_ buffer: UnsafeMutableBufferPointer<UInt8>, at place: Int) {
        guard isCorrected, place < offset + Self.length, place + buffer.count > offset else { return }
        for index in bytes.indices where buffer.indices.contains(offset + index - place) {
            buffer[offset + index - place] = bytes[index]
        }
    }
}
