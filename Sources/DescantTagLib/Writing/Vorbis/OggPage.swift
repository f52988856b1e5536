/// A page of an Ogg stream, RFC 3533, 6.
struct OggPage {
    /// Where it begins in the file.
    let start: Int
    let flags: UInt8
    let granule: [UInt8]
    let serial: [UInt8]
    let sequence: Int
    let lacing: [UInt8]

    var headerCount: Int { 27 + lacing.count }
    var bodyCount: Int { lacing.reduce(0) { $0 + Int($1) } }
    var body: Range<Int> { start + headerCount..<start + headerCount + bodyCount }
    var end: Int { body.upperBound }
    var isFirst: Bool { flags & 0x02 != 0 }

    init(of file: SourceFile, at start: Int) throws {
        var reader = ByteReader(try file.bytes(start..<start + 27))
        guard try reader.name() == "OggS", try reader.big(1) == 0 else {
            throw EditError.damaged("no Ogg page at byte \(start)")
        }
        self.start = start
        flags = UInt8(try reader.big(1))
        granule = Array(try reader.take(8))
        serial = Array(try reader.take(4))
        sequence = try reader.little(4)
        _ = try reader.take(4)
        let segments = try reader.big(1)
        lacing = try file.bytes(start + 27..<start + 27 + segments)
        guard end <= file.size else { throw EditError.damaged("the Ogg page at byte \(start) is cut off") }
    }

    /// A page's header with its checksum.
    ///
    /// - Parameters:
    ///   - flags: Continued, first, last.
    ///   - granule: The position after the page.
    ///   - serial: The stream's number.
    ///   - sequence: The page's number.
    ///   - lacing: The lengths of its segments.
    ///   - body: What it carries.
    static func header(
        flags: UInt8, granule: [UInt8], serial: [UInt8], sequence: Int, lacing: [UInt8], body: ArraySlice<UInt8>
    ) -> [UInt8] {
        var bytes = Array("OggS".utf8) + [0, flags] + granule + serial
        bytes.appendLittle(sequence, 4)
        let place = bytes.count
        bytes += [0, 0, 0, 0, UInt8(lacing.count)] + lacing
        let sum = OggChecksum.sum(of: body, after: OggChecksum.sum(of: bytes[...], after: 0))
        bytes.replaceSubrange(place..<place + 4, with: [UInt8].little(Int(sum), 4))
        return bytes
    }
}
