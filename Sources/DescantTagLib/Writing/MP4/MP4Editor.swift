/// Edits MP4 files: the item list inside the movie atom. What lies behind that atom moves when it grows, and the places that the
/// atom names move with it.
struct MP4Editor {
    private struct Place {
        var name: String
        var range: Range<Int>
    }

    let file: SourceFile

    /// The pieces of the changed file.
    static func pieces(of file: SourceFile, change: TagChange) throws -> [Piece] {
        try MP4Editor(file: file).pieces(change)
    }

    private func pieces(_ change: TagChange) throws -> [Piece] {
        let places = try places()
        guard let index = places.firstIndex(where: { $0.name == "moov" }) else {
            throw EditError.damaged("it has no movie atom")
        }
        let old = places[index].range
        let movie = try MP4Atom.atoms(in: try file.bytes(old)[...])[0]
        var children = try MP4Atom.atoms(in: movie.content[...])
        try Self.edit(&children, change)
        var bytes = try MP4Atom(name: "moov", content: try MP4Atom.bytes(children)).bytes
        // Free space behind the movie takes up the difference: the sound stays where it is.
        var end = old.upperBound
        if index + 1 < places.count, ["free", "skip"].contains(places[index + 1].name) {
            let room = places[index + 1].range.upperBound - old.lowerBound - bytes.count
            if room == 0 || (room >= 8 && room <= Int(UInt32.max)) {
                end = places[index + 1].range.upperBound
                if room > 0 {
                    bytes += [UInt8].big(room, 4) + Array("free".utf8) + [UInt8](repeating: 0, count: room - 8)
                }
            }
        }
        let shift = bytes.count - (end - old.lowerBound)
        if shift != 0, places[(index + 1)...].contains(where: { $0.name != "free" && $0.name != "skip" }) {
            guard !places.contains(where: { $0.name == "moof" }) else {
                throw EditError.unsupported("a fragmented MP4 file whose fragments would move")
            }
            try MP4Offsets.move(&children, beyond: old.upperBound, by: shift)
            bytes = try MP4Atom(name: "moov", content: try MP4Atom.bytes(children)).bytes
        }
        return [.old(0..<old.lowerBound), .new(bytes), .old(end..<file.size)]
    }

    /// The atoms of the file itself.
    private func places() throws -> [Place] {
        var (places, position): ([Place], Int) = ([], 0)
        while position + 8 <= file.size {
            var reader = ByteReader(try file.bytesIfThere(position..<position + 16))
            var size = try reader.big(4)
            let name = try reader.name()
            if size == 1 { size = try reader.big(8) }
            if size == 0 { size = file.size - position }
            guard size >= 8, size <= file.size - position else {
                throw EditError.damaged("the MP4 atom at byte \(position) is longer than the file")
            }
            places.append(Place(name: name, range: position..<position + size))
            position += size
        }
        return places
    }

    // MARK: The item list

    /// Changes the list at moov/udta/meta/ilst and makes the atoms on the way to it.
    private static func edit(_ movie: inout [MP4Atom], _ change: TagChange) throws(EditError) {
        let userData = movie.firstIndex { $0.name == "udta" }
        var user =
            try userData.map { index throws(EditError) in try MP4Atom.atoms(in: movie[index].content[...]) } ?? []
        let place = user.firstIndex { $0.name == "meta" }
        let content = place.map { user[$0].content } ?? newMeta
        // The four bytes of version and flags are missing in files of QuickTime.
        let skipped = content.count >= 8 && String(latin1: content[4..<8]) == "hdlr" ? 0 : min(4, content.count)
        var meta = try MP4Atom.atoms(in: content[skipped...])
        let listPlace = meta.firstIndex { $0.name == "ilst" }
        var list = MP4ItemList(
            try listPlace.map { index throws(EditError) in try MP4Atom.atoms(in: meta[index].content[...]) } ?? [])
        try list.apply(change)
        let new = MP4Atom(name: "ilst", content: try MP4Atom.bytes(list.items))
        if let listPlace { meta[listPlace] = new } else { meta.append(new) }
        let newMeta = MP4Atom(name: "meta", content: content.prefix(skipped) + (try MP4Atom.bytes(meta)))
        if let place { user[place] = newMeta } else { user.append(newMeta) }
        let newUser = MP4Atom(name: "udta", content: try MP4Atom.bytes(user))
        if let userData { movie[userData] = newUser } else { movie.append(newUser) }
    }

    /// Version and flags, and the handler that says that an item list follows.
    private static let newMeta: [UInt8] = {
        let handler = [UInt8](repeating: 0, count: 8) + Array("mdirappl".utf8) + [UInt8](repeating: 0, count: 9)
        return [0, 0, 0, 0] + .big(handler.count + 8, 4) + Array("hdlr".utf8) + handler
    }()
}
