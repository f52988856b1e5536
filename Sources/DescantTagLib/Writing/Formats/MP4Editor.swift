internal import DescantContainers

/// Edits the item list in the movie atom of MP4 files. When the atom grows, the bytes behind it move, and the offsets of the sound in
/// the atom change.
struct MP4Editor {
    let file: SourceFile

    /// The pieces of the changed file.
    static func pieces(of file: SourceFile, edits: TagEdits) throws -> [Piece] {
        try MP4Editor(file: file).pieces(edits)
    }

    private func pieces(_ edits: TagEdits) throws -> [Piece] {
        let atoms = try atoms()
        guard let index = atoms.firstIndex(where: { $0.name == "moov" }) else {
            throw ContainerError.damaged("it has no movie atom")
        }
        let old = Int(atoms[index].offset)..<Int(atoms[index].end)
        var children = try MP4EditableAtom.list(in: try file.bytes(Int(atoms[index].start)..<old.upperBound)[...])
        try Self.edit(&children, edits)
        var bytes = try MP4EditableAtom(name: "moov", content: try MP4EditableAtom.bytes(children)).bytes
        // Free space behind the movie takes up the difference: the sound stays where it is.
        var end = old.upperBound
        if index + 1 < atoms.count, ["free", "skip"].contains(atoms[index + 1].name) {
            let room = Int(atoms[index + 1].end) - old.lowerBound - bytes.count
            if room == 0 || (room >= 8 && room <= Int(UInt32.max)) {
                end = Int(atoms[index + 1].end)
                if room > 0 {
                    bytes += .number(room, bytes: 4, .big) + Array("free".utf8)
                    bytes += [UInt8](repeating: 0, count: room - 8)
                }
            }
        }
        let shift = bytes.count - (end - old.lowerBound)
        if shift != 0, atoms[(index + 1)...].contains(where: { $0.name != "free" && $0.name != "skip" }) {
            guard !atoms.contains(where: { $0.name == "moof" }) else {
                throw ContainerError.unsupported("a fragmented MP4 file whose fragments would move")
            }
            try MP4Offsets.move(&children, beyond: old.upperBound, by: shift)
            bytes = try MP4EditableAtom(name: "moov", content: try MP4EditableAtom.bytes(children)).bytes
        }
        return [.old(0..<old.lowerBound), .new(bytes), .old(end..<file.byteCount)]
    }

    /// The atoms of the file itself.
    private func atoms() throws -> [MP4Atom] {
        let atoms = try MP4Atom.list(in: file, from: 0, to: file.size, limit: .max)
        let end = atoms.last?.end ?? 0
        guard file.size - end < 8 else {
            throw ContainerError.damaged("the MP4 atom at byte \(end) is longer than the file")
        }
        return atoms
    }

    // MARK: The item list

    /// Changes the list at moov/udta/meta/ilst, and creates missing atoms of the path.
    private static func edit(_ movie: inout [MP4EditableAtom], _ edits: TagEdits) throws(ContainerError) {
        let userData = movie.firstIndex { $0.name == "udta" }
        var user =
            try userData.map { index throws(ContainerError) in try MP4EditableAtom.list(in: movie[index].content[...]) }
            ?? []
        let place = user.firstIndex { $0.name == "meta" }
        let content = place.map { user[$0].content } ?? newMeta
        // QuickTime files lack the four bytes of version and flags.
        let skipped = content.count >= 8 && String(latin1: content[4..<8]) == "hdlr" ? 0 : min(4, content.count)
        var meta = try MP4EditableAtom.list(in: content[skipped...])
        let listPlace = meta.firstIndex { $0.name == "ilst" }
        var list = MP4ItemList(
            try listPlace.map { index throws(ContainerError) in try MP4EditableAtom.list(in: meta[index].content[...]) }
                ?? [])
        try list.apply(edits)
        if listPlace == nil, list.items.isEmpty { return }
        let new = MP4EditableAtom(name: "ilst", content: try MP4EditableAtom.bytes(list.items))
        if let listPlace { meta[listPlace] = new } else { meta.append(new) }
        let newMeta = MP4EditableAtom(
            name: "meta", content: content.prefix(skipped) + (try MP4EditableAtom.bytes(meta)))
        if let place { user[place] = newMeta } else { user.append(newMeta) }
        let newUser = MP4EditableAtom(name: "udta", content: try MP4EditableAtom.bytes(user))
        if let userData { movie[userData] = newUser } else { movie.append(newUser) }
    }

    /// Version, flags, and the handler of item lists.
    private static let newMeta: [UInt8] = {
        let handler = [UInt8](repeating: 0, count: 8) + Array("mdirappl".utf8) + [UInt8](repeating: 0, count: 9)
        return [0, 0, 0, 0] + .number(handler.count + 8, bytes: 4, .big) + Array("hdlr".utf8) + handler
    }()
}

/// The offsets of the sound in a movie atom.
enum MP4Offsets {
    /// Moves all offsets behind a byte.
    ///
    /// - Parameters:
    ///   - movie: The children of the movie atom.
    ///   - limit: Lower offsets stay.
    ///   - shift: The number of bytes to add.
    static func move(_ movie: inout [MP4EditableAtom], beyond limit: Int, by shift: Int) throws(ContainerError) {
        try walk(&movie, ["trak", "mdia", "minf", "stbl"][...], limit, shift)
    }

    private static func walk(
        _ atoms: inout [MP4EditableAtom], _ path: ArraySlice<String>, _ limit: Int, _ shift: Int
    ) throws(ContainerError) {
        for index in atoms.indices {
            if let name = path.first {
                guard atoms[index].name == name else { continue }
                var children = try MP4EditableAtom.list(in: atoms[index].content[...])
                try walk(&children, path.dropFirst(), limit, shift)
                atoms[index].content = try MP4EditableAtom.bytes(children)
            } else if atoms[index].name == "stco" {
                try patch(&atoms[index].content, width: 4, limit, shift)
            } else if atoms[index].name == "co64" {
                try patch(&atoms[index].content, width: 8, limit, shift)
            }
        }
    }

    private static func patch(_ table: inout [UInt8], width: Int, _ limit: Int, _ shift: Int) throws(ContainerError) {
        var reader = ByteReader(table)
        _ = try reader.take(4)
        let count = try reader.number(4, .big)
        guard count <= reader.remaining / width else { throw .damaged("a table of offsets is cut off") }
        var patched = Array(table.prefix(8))
        patched.reserveCapacity(table.count)
        for _ in 0..<count {
            let old = try reader.number(width, .big)
            let (new, isOver) = old.addingReportingOverflow(old >= limit ? shift : 0)
            guard !isOver, width == 8 || new <= Int(UInt32.max) else {
                throw .unsupported("sound would lie beyond 4 GiB")
            }
            patched.append(new, bytes: width, .big)
        }
        table = patched + reader.takeRemaining()
    }
}
