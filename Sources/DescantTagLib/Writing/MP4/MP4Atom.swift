/// A box of an MP4 file that lies in memory.
struct MP4Atom {
    var name: String
    var content: [UInt8]

    /// The atoms that bytes are made of.
    static func atoms(in bytes: ArraySlice<UInt8>) throws(EditError) -> [MP4Atom] {
        var reader = ByteReader(bytes)
        var atoms: [MP4Atom] = []
        // Some writers close a list of atoms with four zeros.
        while reader.left >= 8 {
            var size = try reader.big(4)
            let name = try reader.name()
            var header = 8
            if size == 1 {
                size = try reader.big(8)
                header = 16
            } else if size == 0 {
                size = reader.left + 8
            }
            guard size >= header else { throw .damaged("the MP4 atom \(name) has a wrong size") }
            atoms.append(MP4Atom(name: name, content: Array(try reader.take(size - header))))
        }
        return atoms
    }

    var bytes: [UInt8] {
        get throws(EditError) {
            guard content.count <= Int(UInt32.max) - 8 else { throw .unsupported("an atom of more than 4 GiB") }
            return [UInt8].big(content.count + 8, 4) + (name.latin1 ?? []) + content
        }
    }

    static func bytes(_ atoms: [MP4Atom]) throws(EditError) -> [UInt8] {
        var bytes: [UInt8] = []
        for atom in atoms { bytes += try atom.bytes }
        return bytes
    }
}
