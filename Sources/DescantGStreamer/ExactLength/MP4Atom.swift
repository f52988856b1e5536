/// One atom (box) of an MP4 file.
struct MP4Atom {
    let kind: String
    /// Where its header begins.
    let offset: Int64
    /// Where its content begins.
    let start: Int64
    /// Where it ends.
    let end: Int64

    /// Atoms beside one another that are looked at; a damaged file may hold any number of empty ones.
    private static let limit = 4_096

    /// The atoms that lie in a stretch of a file, as far as they are whole.
    static func list(_ reader: some ByteReader, from start: Int64, to end: Int64) -> [MP4Atom] {
        var atoms: [MP4Atom] = []
        var offset = start
        while atoms.count < limit, let atom = MP4Atom(reader, at: offset, end: end) {
            atoms.append(atom)
            offset = atom.end
        }
        return atoms
    }

    private init?(_ reader: some ByteReader, at offset: Int64, end limit: Int64) {
        let header = reader.bytes(at: offset, count: 16)
        guard header.count >= 8, offset + 8 <= limit else { return nil }
        var size = Int64(header.bigEndian32(at: 0))
        var headerSize: Int64 = 8
        if size == 1 {
            guard header.count == 16, header.bigEndian32(at: 8) < 1 << 30 else { return nil }
            size = Int64(header.bigEndian32(at: 8)) << 32 | Int64(header.bigEndian32(at: 12))
            headerSize = 16
        } else if size == 0 {
            size = limit - offset
        }
        guard size >= headerSize, size <= limit - offset else { return nil }
        kind = String(decoding: header[4..<8], as: UTF8.self)
        self.offset = offset
        start = offset + headerSize
        end = offset + size
    }

    /// The atoms inside this one.
    ///
    /// - Parameter skipped: Bytes of the content before the first of them.
    func children(_ reader: some ByteReader, skipping skipped: Int64 = 0) -> [MP4Atom] {
        Self.list(reader, from: start + skipped, to: end)
    }

    /// The first atom of a kind inside this one, or inside that, and so on.
    func find(_ path: String..., in reader: some ByteReader) -> MP4Atom? {
        var found: MP4Atom? = self
        for kind in path { found = found?.children(reader).first { $0.kind == kind } }
        return found
    }

    /// The content, up to a number of bytes.
    func content(_ reader: some ByteReader, limit: Int) -> [UInt8] {
        reader.bytes(at: start, count: Int(min(Int64(limit), end - start)))
    }
}
