/// Splits the input of a terminal into keys. One read may hold several keys, or a part of one.
public struct KeyParser: Sendable {
    private var pending: [UInt8] = []

    /// Creates a parser.
    public init() {}

    /// Adds bytes and returns the complete keys.
    ///
    /// An escape sign at the very end counts as the escape key: terminals send their sequences in one piece. An
    /// unfinished sequence or character waits for the next bytes.
    ///
    /// - Parameter bytes: The bytes that were read.
    public mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
        pending.append(contentsOf: bytes)
        var keys: [Key] = []
        var index = 0
        while index < pending.count {
            guard let (key, length) = Self.key(in: pending[index...]) else { break }
            keys.append(key)
            index += length
        }
        pending.removeFirst(index)
        return keys
    }

    /// The first key and its length in bytes; `nil` when bytes are missing.
    private static func key(in bytes: ArraySlice<UInt8>) -> (Key, Int)? {
        guard let first = bytes.first else { return nil }
        switch first {
        case 0x1B: return sequence(in: bytes)
        case 0x0D, 0x0A: return (.enter, 1)
        case 0x20..<0x7F: return (.character(Character(Unicode.Scalar(first))), 1)
        case 0xC2..<0xF5: return multibyte(in: bytes, length: first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4)
        default: return (.unknown, 1)
        }
    }

    private static func multibyte(in bytes: ArraySlice<UInt8>, length: Int) -> (Key, Int)? {
        guard bytes.count >= length else { return nil }
        let text = String(decoding: bytes.prefix(length), as: UTF8.self)
        guard let character = text.first, text.count == 1, character != "\u{FFFD}" else { return (.unknown, 1) }
        return (.character(character), length)
    }

    private static func sequence(in bytes: ArraySlice<UInt8>) -> (Key, Int)? {
        guard bytes.count > 1 else { return (.escape, 1) }
        let start = bytes.startIndex
        guard bytes[start + 1] == UInt8(ascii: "[") || bytes[start + 1] == UInt8(ascii: "O") else {
            return (.escape, 1)
        }
        guard let end = bytes[(start + 2)...].firstIndex(where: { (0x40...0x7E).contains($0) }) else {
            // Longer than the sequence of any key, so the bytes are skipped.
            return bytes.count > 16 ? (.unknown, bytes.count) : nil
        }
        return (meaning(of: bytes[(start + 2)...end]), end - start + 1)
    }

    private static func meaning(of body: ArraySlice<UInt8>) -> Key {
        switch String(decoding: body, as: UTF8.self) {
        case "A": .up
        case "B": .down
        case "C": .right
        case "D": .left
        case "5~": .pageUp
        case "6~": .pageDown
        default: .unknown
        }
    }
}
