internal import Foundation

/// Decodes the bytes of a text file, with a notice for each assumption.
struct TextDecoding {
    /// The text.
    let text: String
    /// Warnings, one line each.
    let notices: [String]

    /// Reads UTF-8, UTF-16 with a byte order mark, or else Latin-1.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - name: The name of the file in errors and notices.
    /// - Throws: ``InputError`` when this is not text.
    init(_ data: Data, name: String) throws {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) {
            (text, notices) = Self.repaired(data.dropFirst(3), name: name)
        } else if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) {
            (text, notices) = Self.wide(data.dropFirst(2), isLittle: data.first == 0xFF, name: name)
        } else {
            guard !data.prefix(1 << 16).contains(0) else {
                throw InputError(description: "\(name): not a text; text files, HTML and EPUB are supported")
            }
            (text, notices) = Self.unmarked(data, name: name)
        }
    }

    private static func unmarked(_ data: Data, name: String) -> (String, [String]) {
        if let text = String(validating: data, as: UTF8.self) { return (text, []) }
        let (good, bad) = sequences(in: data)
        // A single invalid byte may be damage. When most bytes beyond ASCII are not valid UTF-8, the file has another
        // encoding.
        guard bad > good else { return repaired(data, name: name) }
        let text = String(String.UnicodeScalarView(data.map(latin)))
        return (
            text,
            ["\(name): not UTF-8; read as Latin-1 (Windows-1252). If letters are wrong: iconv -f ENCODING -t UTF-8"]
        )
    }

    private static func repaired(_ data: Data, name: String) -> (String, [String]) {
        let text = String(decoding: data, as: UTF8.self)
        let (_, bad) = sequences(in: data)
        guard bad > 0 else { return (text, []) }
        let places = bad == 1 ? "1 place is" : "\(bad) places are"
        return (text, ["\(name): \(places) not valid UTF-8 and cannot be read"])
    }

    private static func wide(_ data: Data, isLittle: Bool, name: String) -> (String, [String]) {
        let bytes = Array(data)
        let (low, high) = isLittle ? (0, 1) : (1, 0)
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            units.append(UInt16(bytes[index + low]) | UInt16(bytes[index + high]) << 8)
        }
        if bytes.count % 2 == 0, let text = String(validating: units, as: UTF16.self) { return (text, []) }
        return (String(decoding: units, as: UTF16.self), ["\(name): some of it is not valid UTF-16 and cannot be read"])
    }

    /// How many characters beyond ASCII are valid UTF-8, and how many bytes are not.
    private static func sequences(in data: Data) -> (good: Int, bad: Int) {
        var (good, bad) = (0, 0)
        var decoder = UTF8()
        var bytes = data.makeIterator()
        while true {
            switch decoder.decode(&bytes) {
            case .scalarValue(let scalar): if !scalar.isASCII { good += 1 }
            case .error: bad += 1
            case .emptyInput: return (good, bad)
            }
        }
    }

    /// Returns the character of a byte in Windows-1252, which is Latin-1 with signs in place of control characters.
    static func latin(_ byte: UInt8) -> Unicode.Scalar {
        let signs: [UInt32] = [
            0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
            0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
            0x0153, 0x9D, 0x017E, 0x0178,
        ]
        guard (0x80..<0xA0).contains(byte) else { return Unicode.Scalar(byte) }
        return Unicode.Scalar(signs[Int(byte) - 0x80]) ?? Unicode.Scalar(byte)
    }
}
