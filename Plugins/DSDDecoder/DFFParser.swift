internal import Descant

/// Reads the chunks of a DFF file ("DSDIFF 1.5", Philips): numbers are big-endian, the channels are interleaved
/// byte by byte, and the highest bit of a byte is the earliest.
struct DFFParser {
    private let file: DSDFile
    private var sampleRate: Int?
    private var channels: [String]?
    private var compression: String?

    /// Whether a file has the header of a DFF file.
    static func recognises(_ header: [UInt8]) -> Bool {
        header.starts(with: Array("FRM8".utf8)) && header.dropFirst(12).starts(with: Array("DSD ".utf8))
    }

    /// Reads the layout.
    ///
    /// - Throws: `CoreError` naming the file; a file with DST compression is refused as unsupported.
    static func layout(of file: DSDFile) throws -> DSDLayout {
        var parser = DFFParser(file: file)
        return try parser.layout()
    }

    private init(file: DSDFile) { self.file = file }

    private mutating func layout() throws -> DSDLayout {
        var offset = 16
        // Few chunks come before the sound; the limit guards against hostile files.
        for _ in 0..<1000 {
            let head = HeaderBytes(try file.bytes(at: offset, count: 12))
            guard let mark = head.mark(at: 0), let size = chunkSize(head, at: offset) else { break }
            switch mark {
            case "PROP": try readProperties(at: offset + 12, count: size)
            case "DST ": throw compressed("DST")
            case "DSD ": return try layout(dataAt: offset + 12, count: size)
            default: break
            }
            offset += 12 + size + size % 2
        }
        throw damaged("no sound chunk is found")
    }

    /// A chunk's size. A recorder that was cut off leaves 0 or all ones at the sound: it then reaches to the file's end.
    private func chunkSize(_ head: HeaderBytes, at offset: Int) -> Int? {
        let rest = file.length - offset - 12
        let size = head.bigEndian(at: 4, count: 8)
        if head.mark(at: 0) == "DSD ", size == nil || size == 0 || size ?? 0 > 1 << 48 { return max(0, rest) }
        guard let size, size >= 0, size < 1 << 48 else { return nil }
        return size
    }

    private mutating func readProperties(at start: Int, count: Int) throws {
        let properties = HeaderBytes(try file.bytes(at: start, count: min(count, 1 << 16)))
        guard properties.mark(at: 0) == "SND " else { throw damaged("its properties are not those of a sound") }
        var offset = 4
        while let mark = properties.mark(at: offset), let size = properties.bigEndian(at: offset + 4, count: 8) {
            let body = offset + 12
            switch mark {
            case "FS  ": sampleRate = properties.bigEndian(at: body, count: 4)
            case "CMPR": compression = properties.mark(at: body)
            case "CHNL": channels = try names(in: properties, at: body)
            default: break
            }
            guard size <= properties.count else { break }
            offset = body + size + size % 2
        }
    }

    private func names(in properties: HeaderBytes, at offset: Int) throws -> [String] {
        guard let count = properties.bigEndian(at: offset, count: 2), (1...64).contains(count) else {
            throw damaged("its number of channels is impossible")
        }
        return (0..<count).map { properties.mark(at: offset + 2 + 4 * $0) ?? "" }
    }

    private func layout(dataAt start: Int, count: Int) throws -> DSDLayout {
        guard let sampleRate, let channels else { throw damaged("its sample rate or its channels are missing") }
        if compression == "DST " { throw compressed("DST") }
        if let compression, compression != "DSD " { throw damaged("its compression is unknown: \(compression)") }
        return DSDLayout(
            sampleRate: sampleRate, channelOrder: Self.waveOrder(of: channels),
            sampleCount: count / channels.count * 8, blockSize: 1, bitOrder: .mostSignificantFirst, dataOffset: start,
            dataLength: max(0, min(count, file.length - start)))
    }

    /// The indices of the channels in the order of WAVE files; the file's own order if a channel is unknown.
    private static func waveOrder(of names: [String]) -> [Int] {
        let ranks = names.map { name in
            switch name {
            case "SLFT", "MLFT": 0
            case "SRGT", "MRGT": 1
            case "C   ": 2
            case "LFE ": 3
            case "LS  ": 4
            case "RS  ": 5
            default: -1
            }
        }
        guard !ranks.contains(-1), Set(ranks).count == ranks.count else { return Array(names.indices) }
        return names.indices.sorted { ranks[$0] < ranks[$1] }
    }

    private func compressed(_ name: String) -> CoreError {
        .unsupported(
            "\(file.path) is a DFF file with \(name) compression, which the DSD decoder does not have; unpack it to "
                + "plain DSD first")
    }

    private func damaged(_ what: String) -> CoreError {
        .decodeError("\(file.path): the DFF header is damaged or incomplete (\(what))")
    }
}
