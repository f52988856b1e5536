/// Finds the exact length of a file by its first bytes.
enum LengthReader {
    /// The length; `nil` when the format has no exact length or is not known, or the headers are not to be trusted.
    static func read(_ reader: some ByteReader) -> ExactLength? {
        guard let length = announced(reader), length.isPossible(inBytes: reader.size) else { return nil }
        return length
    }

    private static func announced(_ reader: some ByteReader) -> ExactLength? {
        let start = ID3Header.end(of: reader)
        let magic = reader.bytes(at: start, count: 4)
        guard magic.count == 4 else { return nil }
        if reader.bytes(at: 4, count: 4).elementsEqual("ftyp".utf8) { return M4ALength.read(reader) }
        switch String(decoding: magic, as: UTF8.self) {
        case "fLaC": return FLACLength.read(reader, at: start)
        case "RIFF", "RF64": return WAVLength.read(reader)
        case "OggS": return OggLength.read(reader)
        default: return MP3Length.read(reader, at: start)
        }
    }
}
