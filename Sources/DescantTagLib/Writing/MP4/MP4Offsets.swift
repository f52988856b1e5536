/// The places of sound in a file, as the movie atom names them.
enum MP4Offsets {
    /// Moves every place behind a byte.
    ///
    /// - Parameters:
    ///   - movie: The children of the movie atom.
    ///   - limit: What lies before this byte stays.
    ///   - shift: How far.
    static func move(_ movie: inout [MP4Atom], beyond limit: Int, by shift: Int) throws(EditError) {
        try walk(&movie, ["trak", "mdia", "minf", "stbl"][...], limit, shift)
    }

    private static func walk(
        _ atoms: inout [MP4Atom], _ path: ArraySlice<String>, _ limit: Int, _ shift: Int
    ) throws(EditError) {
        for index in atoms.indices {
            if let name = path.first {
                guard atoms[index].name == name else { continue }
                var children = try MP4Atom.atoms(in: atoms[index].content[...])
                try walk(&children, path.dropFirst(), limit, shift)
                atoms[index].content = try MP4Atom.bytes(children)
            } else if atoms[index].name == "stco" {
                try patch(&atoms[index].content, width: 4, limit, shift)
            } else if atoms[index].name == "co64" {
                try patch(&atoms[index].content, width: 8, limit, shift)
            }
        }
    }

    private static func patch(_ table: inout [UInt8], width: Int, _ limit: Int, _ shift: Int) throws(EditError) {
        var reader = ByteReader(table)
        _ = try reader.take(4)
        let count = try reader.big(4)
        guard count <= reader.left / width else { throw .damaged("a table of places is cut off") }
        var patched = Array(table.prefix(8))
        patched.reserveCapacity(table.count)
        for _ in 0..<count {
            let old = try reader.big(width)
            let new = old >= limit ? old + shift : old
            guard width == 8 || new <= Int(UInt32.max) else { throw .unsupported("sound would lie beyond 4 GiB") }
            patched.appendBig(new, width)
        }
        table = patched + reader.rest()
    }
}
