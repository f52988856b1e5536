/// A frame of an ID3v2 tag, its content as it lies in the file.
package struct ID3v2Frame: Equatable {
    /// Four characters, or three in version 2.2. iTunes leaves names of version 2.2 in tags of version 2.3: three characters and a zero.
    package var id: String
    /// The two bytes of flags; version 2.2 has none.
    package var flags: [UInt8]
    package var content: [UInt8]
    /// Whether the content is unsynchronised because the header of the tag says so.
    fileprivate var isUnsynchronised = false

    /// Whether the content is encrypted.
    package func isEncrypted(in version: Int) -> Bool {
        guard flags.count == 2 else { return false }
        return version == 3 ? flags[1] & 0x40 != 0 : version == 4 && flags[1] & 0x04 != 0
    }

    /// The content without what its flags add to it; `nil` when it is encrypted, or compressed and not inflated.
    ///
    /// - Parameters:
    ///   - version: The version of the tag.
    ///   - inflate: Inflates compressed content, which begins with its length in four bytes.
    package func plainContent(in version: Int, inflate: ([UInt8]) -> [UInt8]? = { _ in nil }) -> [UInt8]? {
        guard flags.count == 2, version > 2 else { return content }
        guard !isEncrypted(in: version) else { return nil }
        if version == 3 {
            guard flags[1] & 0x80 == 0 else { return inflate(content) }
            return Array(content.dropFirst(flags[1] & 0x20 == 0 ? 0 : 1))
        }
        let isGuarded = isUnsynchronised || flags[1] & 0x02 != 0
        guard flags[1] & 0x08 == 0 else { return inflate(isGuarded ? ID3v2Tag.synchronised(content) : content) }
        // A byte for the group, and four for the length.
        let skipped = (flags[1] & 0x40 == 0 ? 0 : 1) + (flags[1] & 0x01 == 0 ? 0 : 4)
        let plain = Array(content.dropFirst(skipped))
        return isGuarded ? ID3v2Tag.synchronised(plain) : plain
    }

    /// The texts of a text frame, or the texts behind the encoding byte of another; empty when they cannot be read.
    ///
    /// - Parameters:
    ///   - version: The version of the tag.
    ///   - inflate: As for ``plainContent(in:inflate:)``.
    package func texts(in version: Int, inflate: ([UInt8]) -> [UInt8]? = { _ in nil }) -> [String] {
        guard let content = plainContent(in: version, inflate: inflate), let encoding = content.first else { return [] }
        return ID3Text.texts(content.dropFirst(), encoding: encoding)
    }

    /// Whether TagLib stops reading a tag at this frame: it is empty, or its name has a blank.
    fileprivate func endsReading(of version: Int) -> Bool {
        // In version 2.4, a flag announces four bytes of length.
        let hasLength = version == 4 && flags.count == 2 && flags[1] & 0x01 != 0
        return content.count <= (hasLength ? 4 : 0) || id.utf8.contains(0x20)
    }
}

/// An ID3v2 tag of version 2.2, 2.3 or 2.4, its frames as they lie in the file.
package struct ID3v2Tag {
    /// 2, 3 or 4.
    package let version: Int
    package var frames: [ID3v2Frame]
    /// The size of the tag in the file in bytes, header and padding included; 0 for a new one.
    private let oldCount: Int
    /// Whether frames of version 2.4 are unsynchronised even if their flags do not say so.
    private let isUnsynchronised: Bool

    /// Creates an empty tag of version 2.4.
    package init() {
        version = 4
        frames = []
        oldCount = 0
        isUnsynchronised = false
    }

    /// Reads a tag.
    ///
    /// - Parameter bytes: The tag with its header.
    package init(_ bytes: [UInt8]) throws(ContainerError) {
        guard let header = ID3v2Header(bytes), let count = header.standardSize, count <= bytes.count else {
            throw .damaged("an ID3v2 tag is cut off")
        }
        version = Int(header.version)
        let flags = header.flags
        guard (2...4).contains(version) else { throw .unsupported("ID3v2.\(version)") }
        guard version > 2 || flags & 0x40 == 0 else { throw .unsupported("a compressed ID3v2.2 tag") }
        oldCount = count
        isUnsynchronised = version == 4 && flags & 0x80 != 0
        var body = Array(bytes[10..<10 + Int(header.contentSize)])
        if version < 4, flags & 0x80 != 0 { body = Self.synchronised(body) }
        frames = []
        var reader = ByteReader(body)
        if version > 2, flags & 0x40 != 0 { try Self.skipExtendedHeader(&reader, version) }
        frames = try Self.frames(reader.takeRemaining(), version)
        if isUnsynchronised { for index in frames.indices { frames[index].isUnsynchronised = true } }
    }

    private static func skipExtendedHeader(_ reader: inout ByteReader, _ version: Int) throws(ContainerError) {
        let size = try reader.take(4)
        // Version 2.3 does not count the size's own bytes, 2.4 does.
        _ = try reader.take(version == 3 ? size.reduce(0) { $0 << 8 | Int($1) } : ID3v2Header.synchsafe(size) - 4)
    }

    // MARK: Frames

    private static func frames(_ bytes: ArraySlice<UInt8>, _ version: Int) throws(ContainerError) -> [ID3v2Frame] {
        let isPlainSize = version == 4 && !hasFrames(bytes, synchsafe: true) && hasFrames(bytes, synchsafe: false)
        var reader = ByteReader(bytes)
        var frames: [ID3v2Frame] = []
        let idCount = version == 2 ? 3 : 4
        while reader.remaining >= (version == 2 ? 6 : 10) {
            let id = Array(try reader.take(idCount))
            guard isID(id[...]) || version == 3 && id[3] == 0 && isID(id[..<3]) else {
                // Bytes that are neither a frame nor padding would be lost.
                guard (id + reader.takeRemaining()).allSatisfy({ $0 == 0 }) else {
                    throw .unsupported("an ID3v2 tag with bytes that are no frame")
                }
                break
            }
            let size = try reader.take(version == 2 ? 3 : 4)
            let isSynchsafe = version == 4 && !isPlainSize
            let count = isSynchsafe ? ID3v2Header.synchsafe(size) : size.reduce(0) { $0 << 8 | Int($1) }
            let flags = version == 2 ? [] : Array(try reader.take(2))
            guard count <= reader.remaining else { throw .damaged("an ID3v2 frame is longer than its tag") }
            frames.append(ID3v2Frame(id: String(latin1: id), flags: flags, content: Array(try reader.take(count))))
        }
        return frames
    }

    private static func isID(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || $0 == 0x20 }
            && bytes.first.map { (0x41...0x5A).contains($0) } == true
    }

    /// Whether frames follow one another up to the end or to padding, with sizes read as synchsafe or as plain numbers. Some
    /// programs write plain sizes into tags of version 2.4.
    private static func hasFrames(_ bytes: ArraySlice<UInt8>, synchsafe isSynchsafe: Bool) -> Bool {
        var position = bytes.startIndex
        while position + 10 < bytes.endIndex, bytes[position] != 0 {
            guard isID(bytes[position..<position + 4]) else { return false }
            let size = bytes[position + 4..<position + 8]
            if isSynchsafe, size.contains(where: { $0 >= 0x80 }) { return false }
            position += 10 + (isSynchsafe ? ID3v2Header.synchsafe(size) : size.reduce(0) { $0 << 8 | Int($1) })
            if position > bytes.endIndex { return false }
        }
        return true
    }

    fileprivate static func synchronised(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() where !(byte == 0 && index > 0 && bytes[index - 1] == 0xFF) {
            result.append(byte)
        }
        return result
    }

    // MARK: Writing

    /// The tag in bytes: as long as it was in the file where the frames fit, else with 2,048 bytes of padding.
    ///
    /// Frames at which TagLib stops reading come last, because it would not read those behind them.
    package func bytes() throws(ContainerError) -> [UInt8] {
        var body: [UInt8] = []
        let last = frames.filter { $0.endsReading(of: version) }
        for frame in frames.filter({ !$0.endsReading(of: version) }) + last {
            body += Array(frame.id.utf8)
            let count = frame.content.count
            guard count < (version == 2 ? 1 << 24 : 1 << 28) else {
                throw .unsupported("ID3v2.\(version) has no place for \(count) bytes in one frame")
            }
            switch version {
            case 2: body.append(count, bytes: 3, .big)
            case 3: body.append(count, bytes: 4, .big)
            default: body += ID3v2Header.synchsafe(count)
            }
            body += frame.flags + frame.content
        }
        let padding = body.count + 10 <= oldCount ? oldCount - 10 - body.count : 2_048
        let size = body.count + padding
        guard size < 1 << 28 else { throw .unsupported("ID3v2 has no place for \(size) bytes") }
        let flags: UInt8 = isUnsynchronised ? 0x80 : 0
        return Array("ID3".utf8) + [UInt8(version), 0, flags] + ID3v2Header.synchsafe(size) + body
            + [UInt8](repeating: 0, count: padding)
    }

    /// Creates a frame, unsynchronised where the tag demands it.
    package func frame(_ id: String, _ content: [UInt8]) -> ID3v2Frame {
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
