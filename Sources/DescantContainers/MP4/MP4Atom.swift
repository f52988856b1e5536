/// The place of one atom (box) of an MP4 file.
package struct MP4Atom {
    /// Four characters of Latin-1.
    package let name: String
    /// The offset of the header.
    package let offset: Int64
    /// The offset of the content.
    package let start: Int64
    /// The offset behind the content.
    package let end: Int64

    /// The number of atoms in a row that are looked at; a damaged file may hold any number of empty ones.
    package static let usualLimit = 4_096

    /// Reads the headers of the atoms in a part of a file, up to the first one that is not whole.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - start: Where the first atom begins, 0 or more.
    ///   - end: Where the last one ends, at most.
    ///   - limit: The maximum number of atoms.
    package static func list<Bytes: RandomAccessBytes>(
        in bytes: Bytes, from start: Int64, to end: Int64, limit: Int = usualLimit
    ) throws(Bytes.Failure) -> [MP4Atom] {
        var atoms: [MP4Atom] = []
        var offset = start
        while atoms.count < limit, let atom = try MP4Atom(bytes, at: offset, end: end) {
            atoms.append(atom)
            offset = atom.end
        }
        return atoms
    }

    private init?<Bytes: RandomAccessBytes>(
        _ bytes: Bytes, at offset: Int64, end limit: Int64
    ) throws(Bytes.Failure) {
        guard offset >= 0, limit - offset >= 8 else { return nil }
        let header = try bytes.bytes(at: offset, count: 16)
        guard header.count >= 8, let shortSize = header.uint32(at: 0, .big) else { return nil }
        var size = Int64(shortSize)
        var headerSize: Int64 = 8
        if size == 1 {
            guard let longSize = header.uint64(at: 8, .big) else { return nil }
            size = Int64(clamping: longSize)
            headerSize = 16
        } else if size == 0 {
            size = limit - offset
        }
        guard size >= headerSize, size <= limit - offset else { return nil }
        name = String(latin1: header[4..<8])
        self.offset = offset
        start = offset + headerSize
        end = offset + size
    }

    /// The atoms inside this one.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - skipped: The number of bytes of the content before the first of them.
    package func children<Bytes: RandomAccessBytes>(
        in bytes: Bytes, skipping skipped: Int64 = 0
    ) throws(Bytes.Failure) -> [MP4Atom] {
        try Self.list(in: bytes, from: start + skipped, to: end)
    }

    /// The first atom at the end of a path of names that begins inside this one.
    package func find<Bytes: RandomAccessBytes>(
        _ path: String..., in bytes: Bytes
    ) throws(Bytes.Failure) -> MP4Atom? {
        var found = self
        for name in path {
            guard let next = try found.children(in: bytes).first(where: { $0.name == name }) else { return nil }
            found = next
        }
        return found
    }

    /// Reads the content, up to a number of bytes.
    package func content<Bytes: RandomAccessBytes>(
        of bytes: Bytes, limit: Int
    ) throws(Bytes.Failure) -> [UInt8] {
        try bytes.bytes(at: start, count: Int(min(Int64(limit), end - start)))
    }
}

/// An atom in memory whose content can be replaced.
package struct MP4EditableAtom {
    package var name: String
    package var content: [UInt8]

    package init(name: String, content: [UInt8]) {
        self.name = name
        self.content = content
    }

    /// Reads the atoms that fill some bytes.
    ///
    /// Some writers close a list of atoms with four zeros; up to seven bytes at the end are ignored.
    package static func list(in bytes: ArraySlice<UInt8>) throws(ContainerError) -> [MP4EditableAtom] {
        let file = ArrayBytes(bytes)
        let atoms = MP4Atom.list(in: file, from: 0, to: file.size, limit: .max)
        guard file.size - (atoms.last?.end ?? 0) < 8 else { throw .damaged("an MP4 atom has a wrong size") }
        return atoms.map { MP4EditableAtom(name: $0.name, content: $0.content(of: file, limit: .max)) }
    }

    package var bytes: [UInt8] {
        get throws(ContainerError) {
            guard content.count <= Int(UInt32.max) - 8 else { throw .unsupported("an atom of more than 4 GiB") }
            return .number(content.count + 8, bytes: 4, .big) + (name.latin1 ?? []) + content
        }
    }

    package static func bytes(_ atoms: [MP4EditableAtom]) throws(ContainerError) -> [UInt8] {
        var bytes: [UInt8] = []
        for atom in atoms { bytes += try atom.bytes }
        return bytes
    }
}
