/// An ID3v2 tag of version 2.2, 2.3 or 2.4, its frames as they lie in the file.
struct ID3v2Tag {
    /// 2, 3 or 4.
    let version: Int
    var frames: [ID3v2Frame]
    /// How many bytes the tag has in the file, header and padding included; 0 for a new one.
    let oldCount: Int
    /// Whether frames of version 2.4 that do not say so are unsynchronised all the same.
    private let isUnsynchronised: Bool

    /// A new tag, of version 2.4.
    init() {
        version = 4
        frames = []
        oldCount = 0
        isUnsynchronised = false
    }

    /// How long the tag is that begins with ten bytes; `nil` when they begin none.
    static func count(_ header: ArraySlice<UInt8>) -> Int? {
        let bytes = Array(header.prefix(10))
        guard bytes.count == 10, bytes.starts(with: Array("ID3".utf8)), bytes[3] < 0xFF, bytes[4] < 0xFF,
            bytes[6...].allSatisfy({ $0 < 0x80 })
        else { return nil }
        return 10 + synchsafe(bytes[6...]) + (bytes[3] == 4 && bytes[5] & 0x10 != 0 ? 10 : 0)
    }

    private static func synchsafe(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 7 | Int($1 & 0x7F) } }

    /// Reads a tag.
    ///
    /// - Parameter bytes: The tag with its header.
    init(_ bytes: [UInt8]) throws(EditError) {
        guard let count = Self.count(bytes[...]), count <= bytes.count else {
            throw .damaged("an ID3v2 tag is cut off")
        }
        version = Int(bytes[3])
        let flags = bytes[5]
        guard (2...4).contains(version) else { throw .unsupported("ID3v2.\(version)") }
        guard version > 2 || flags & 0x40 == 0 else { throw .unsupported("a compressed ID3v2.2 tag") }
        oldCount = count
        isUnsynchronised = version == 4 && flags & 0x80 != 0
        var body = Array(bytes[10..<10 + Self.synchsafe(bytes[6..<10])])
        if version < 4, flags & 0x80 != 0 { body = Self.synchronised(body) }
        frames = []
        var reader = ByteReader(body)
        if version > 2, flags & 0x40 != 0 { try Self.skipExtendedHeader(&reader, version) }
        frames = try Self.frames(reader.rest(), version)
    }

    private static func skipExtendedHeader(_ reader: inout ByteReader, _ version: Int) throws(EditError) {
        let size = try reader.take(4)
        // Version 2.3 does not count the size's own bytes, 2.4 does.
        _ = try reader.take(version == 3 ? size.reduce(0) { $0 << 8 | Int($1) } : synchsafe(size) - 4)
    }

    // MARK: Frames

    private static func frames(_ bytes: ArraySlice<UInt8>, _ version: Int) throws(EditError) -> [ID3v2Frame] {
        let isPlainSize = version == 4 && !hasFrames(bytes, synchsafe: true) && hasFrames(bytes, synchsafe: false)
        var reader = ByteReader(bytes)
        var frames: [ID3v2Frame] = []
        let idCount = version == 2 ? 3 : 4
        while reader.left > (version == 2 ? 6 : 10) {
            let id = Array(try reader.take(idCount))
            // Padding, or something that no reader takes for a frame.
            guard isID(id[...]) else { break }
            let size = try reader.take(version == 2 ? 3 : 4)
            let isSynchsafe = version == 4 && !isPlainSize
            let count = isSynchsafe ? synchsafe(size) : size.reduce(0) { $0 << 8 | Int($1) }
            let flags = version == 2 ? [] : Array(try reader.take(2))
            guard count <= reader.left else { throw .damaged("an ID3v2 frame is longer than its tag") }
            frames.append(ID3v2Frame(id: String(latin1: id), flags: flags, content: Array(try reader.take(count))))
        }
        return frames
    }

    private static func isID(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || $0 == 0x20 }
            && bytes.first.map { (0x41...0x5A).contains($0) } == true
    }

    /// Whether a chain of frames leads to the end or to padding, by one way of counting. Some programs wrote sizes of version
    /// 2.4 as 2.3 has them.
    private static func hasFrames(_ bytes: ArraySlice<UInt8>, synchsafe isSynchsafe: Bool) -> Bool {
        var position = bytes.startIndex
        while position + 10 < bytes.endIndex, bytes[position] != 0 {
            guard isID(bytes[position..<position + 4]) else { return false }
            let size = bytes[position + 4..<position + 8]
            if isSynchsafe, size.contains(where: { $0 >= 0x80 }) { return false }
            position += 10 + (isSynchsafe ? synchsafe(size) : size.reduce(0) { $0 << 8 | Int($1) })
            if position > bytes.endIndex { return false }
        }
        return true
    }

    private static func synchronised(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() where !(byte == 0 && index > 0 && bytes[index - 1] == 0xFF) {
            result.append(byte)
        }
        return result
    }

    // MARK: Writing

    /// The tag as it is written; the same length as before where it fits, with padding else.
    ///
    /// - Parameter limit: The maximum size that the format can tell.
    func bytes() throws(EditError) -> [UInt8] {
        var body: [UInt8] = []
        for frame in frames {
            body += Array(frame.id.utf8)
            let count = frame.content.count
            guard count < (version == 2 ? 1 << 24 : 1 << 28) else {
                throw .unsupported("ID3v2.\(version) has no place for \(count) bytes in one frame")
            }
            switch version {
            case 2: body.appendBig(count, 3)
            case 3: body.appendBig(count, 4)
            default: body += Self.synchsafe(count)
            }
            body += frame.flags + frame.content
        }
        let padding = body.count + 10 <= oldCount ? oldCount - 10 - body.count : 2_048
        let size = body.count + padding
        guard size < 1 << 28 else { throw .unsupported("ID3v2 has no place for \(size) bytes") }
        let flags: UInt8 = isUnsynchronised ? 0x80 : 0
        return Array("ID3".utf8) + [UInt8(version), 0, flags] + Self.synchsafe(size) + body
            + [UInt8](repeating: 0, count: padding)
    }

    private static func synchsafe(_ value: Int) -> [UInt8] {
        stride(from: 21, through: 0, by: -7).map { UInt8(value >> $0 & 0x7F) }
    }

    /// A frame with content made here.
    func frame(_ id: String, _ content: [UInt8]) -> ID3v2Frame {
        guard version > 2 else { return ID3v2Frame(id: id, flags: [], content: content) }
        guard isUnsynchronised else { return ID3v2Frame(id: id, flags: [0, 0], content: content) }
        var guarded: [UInt8] = []
        for byte in content {
            if guarded.last == 0xFF, byte >= 0xE0 || byte == 0 { guarded.append(0) }
            guarded.append(byte)
        }
        if guarded.last == 0xFF { guarded.append(0) }
        return ID3v2Frame(id: id, flags: [0, 0x02], content: guarded)
    }
}
