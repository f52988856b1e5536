/// The INFO list of a WAVE file. Fields that are there are kept in step with the ID3v2 tag; none are added.
struct InfoList {
    private var fields: [(name: String, content: [UInt8])] = []

    /// - Returns: `nil` for a list of something else.
    init?(_ bytes: [UInt8]) throws(EditError) {
        var reader = ByteReader(bytes)
        guard reader.left >= 4, try reader.name() == "INFO" else { return nil }
        while reader.left >= 8 {
            let name = try reader.name()
            let count = try reader.little(4)
            fields.append((name, Array(try reader.take(count))))
            if count % 2 == 1, reader.left > 0 { _ = try reader.take(1) }
        }
    }

    var bytes: [UInt8] {
        fields.reduce(into: Array("INFO".utf8)) { bytes, field in
            bytes += field.name.latin1 ?? []
            bytes.appendLittle(field.content.count, 4)
            bytes += field.content + (field.content.count % 2 == 1 ? [0] : [])
        }
    }

    mutating func apply(_ change: TagChange) {
        let names: [(String, TagField)] = [
            ("INAM", .title), ("IART", .artist), ("IPRD", .album), ("ICMT", .comment), ("IGNR", .genre),
            ("IPRT", .track), ("ITRK", .track),
        ]
        for (name, field) in names { set(name, change[field]?.joined(separator: ", ")) }
        let date = fields.first { $0.name == "ICRD" }.map { String(decoding: $0.content, as: UTF8.self) }
        set("ICRD", change.date(old: date)?.first)
    }

    private mutating func set(_ name: String, _ text: String?) {
        guard let text, let index = fields.firstIndex(where: { $0.name == name }) else { return }
        fields[index].content = Array(text.utf8) + [0]
    }
}
