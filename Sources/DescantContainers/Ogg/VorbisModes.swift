/// The modes of a Vorbis stream, which choose between short and long blocks.
///
/// The modes stand at the end of the setup header behind parts of unknown length, so they are read backwards: a framing
/// bit, then for each mode 8 bits of mapping, 32 bits that are 0 and one that is set for long blocks, and before them a count.
package struct VorbisModes {
    /// For each mode whether its blocks are long; 1…64 modes.
    private let longModes: [Bool]

    private static let modeBits = 41
    private static let maximumCount = 64

    /// Reads the modes from a setup header; `nil` when they are not found.
    package init?(setup: [UInt8]) {
        guard let framing = Self.lastSetBit(of: setup) else { return nil }
        var found: [Bool] = []
        var accepted: [Bool]?
        var end = framing
        while end - Self.modeBits >= 97, found.count < Self.maximumCount {
            let start = end - Self.modeBits
            // Bits 1 to 32 of a mode are its window and transform types, both 0.
            let mapping = Self.bits(of: setup, at: start + 33, count: 8)
            guard Self.bits(of: setup, at: start + 1, count: 32) == 0, mapping < 64 else { break }
            found.insert(Self.bits(of: setup, at: start, count: 1) == 1, at: 0)
            end = start
            if Int(Self.bits(of: setup, at: end - 6, count: 6)) + 1 == found.count { accepted = found }
        }
        guard let accepted else { return nil }
        longModes = accepted
    }

    /// Whether a packet of sound is a long block; `nil` for another kind of packet.
    package func isLong(_ packet: ArraySlice<UInt8>) -> Bool? {
        guard let first = packet.first, first & 1 == 0 else { return nil }
        let width = longModes.count <= 1 ? 0 : Int.bitWidth - (longModes.count - 1).leadingZeroBitCount
        let mode = Int(first >> 1) & (1 << width - 1)
        return mode < longModes.count ? longModes[mode] : nil
    }

    private static func lastSetBit(of bytes: [UInt8]) -> Int? {
        guard let index = bytes.lastIndex(where: { $0 != 0 }) else { return nil }
        return index * 8 + 7 - bytes[index].leadingZeroBitCount
    }

    private static func bits(of bytes: [UInt8], at start: Int, count: Int) -> UInt64 {
        (0..<count).reduce(0) { value, bit in
            let index = start + bit
            return value | UInt64(bytes[index / 8] >> (index % 8) & 1) << bit
        }
    }
}
