/// The description of an AAC stream inside an MP4 file.
enum AACDescription {
    /// The number of the profile that most files have.
    static let lowComplexity = 2

    /// The number of the profile (the audio object type).
    ///
    /// - Parameter description: The content of a sample description with the "esds" atom in it.
    /// - Returns: `nil` when there is no AAC in it.
    static func profile(in description: [UInt8]) -> Int? {
        guard let name = index(of: Array("esds".utf8), in: description) else { return nil }
        // Version and flags, then descriptors within one another: stream (3), decoder (4), its configuration (5).
        var offset = name + 8
        guard enter(3, in: description, at: &offset), description.count > offset + 3 else { return nil }
        let flags = description[offset + 2]
        guard flags == 0 else { return nil }
        offset += 3
        guard enter(4, in: description, at: &offset), description.count > offset + 13 else { return nil }
        // MPEG-4 audio, or one of the profiles of MPEG-2 AAC.
        let kind = description[offset]
        guard kind == 0x40 || (0x66...0x68).contains(kind) else { return nil }
        offset += 13
        guard enter(5, in: description, at: &offset), description.count > offset else { return nil }
        return Int(description[offset] >> 3)
    }

    /// Goes behind a descriptor's header, whose length has 7 bits a byte.
    private static func enter(_ tag: UInt8, in bytes: [UInt8], at offset: inout Int) -> Bool {
        guard offset < bytes.count, bytes[offset] == tag else { return false }
        offset += 1
        for _ in 0..<4 {
            guard offset < bytes.count else { return false }
            offset += 1
            if bytes[offset - 1] & 0x80 == 0 { return true }
        }
        return true
    }

    /// Where a name stands in a sample description.
    static func index(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= pattern.count else { return nil }
        return (0...bytes.count - pattern.count).first { bytes[$0..<$0 + pattern.count].elementsEqual(pattern) }
    }
}
