/// Reads JSON from UTF-8.
///
/// Borrows the bytes for the length of one call of ``read(_:)``.
struct JSONReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var depth = 0
    private static let maximumDepth = 128

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Reads one value.
    ///
    /// - Parameter bytes: The whole text.
    /// - Throws: ``JSONSyntaxError`` with the position of the first wrong byte.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONSyntaxError) -> JSON {
        var reader = JSONReader(bytes)
        let value = try reader.value()
        reader.skipSpace()
        guard reader.position == bytes.count else { throw JSONSyntaxError(position: reader.position) }
        return value
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private var wrong: JSONSyntaxError { JSONSyntaxError(position: position) }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func value() throws(JSONSyntaxError) -> JSON {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return .object(try members())
        case UInt8(ascii: "["): return .array(try elements())
        case UInt8(ascii: "\""): return .string(try text())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONSyntaxError) -> JSON {
        guard position + word.utf8CodeUnitCount <= bytes.count else { throw wrong }
        for index in 0..<word.utf8CodeUnitCount where bytes[position + index] != word.utf8Start[index] { throw wrong }
        position += word.utf8CodeUnitCount
        return value
    }

    // MARK: Lists and objects

    private mutating func enter() throws(JSONSyntaxError) {
        depth += 1
        guard depth <= Self.maximumDepth else { throw wrong }
        position += 1
        skipSpace()
    }

    /// Whether another element follows; skips the comma or the closing byte.
    private mutating func goesOn(until end: UInt8) throws(JSONSyntaxError) -> Bool {
        skipSpace()
        guard let byte = current, byte == end || byte == UInt8(ascii: ",") else { throw wrong }
        position += 1
        return byte != end
    }

    private mutating func elements() throws(JSONSyntaxError) -> [JSON] {
        try enter()
        defer { depth -= 1 }
        var result: [JSON] = []
        guard current != UInt8(ascii: "]") else {
            position += 1
            return result
        }
        repeat { result.append(try value()) } while try goesOn(until: UInt8(ascii: "]"))
        return result
    }

    private mutating func members() throws(JSONSyntaxError) -> [String: JSON] {
        try enter()
        defer { depth -= 1 }
        var result: [String: JSON] = [:]
        guard current != UInt8(ascii: "}") else {
            position += 1
            return result
        }
        repeat {
            skipSpace()
            let name = try text()
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw wrong }
            position += 1
            result[name] = try value()
        } while try goesOn(until: UInt8(ascii: "}"))
        return result
    }

    // MARK: Numbers

    private mutating func number() throws(JSONSyntaxError) -> JSON {
        let start = position
        var isWhole = true
        while let byte = current {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
            case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): isWhole = false
            default: return try number(from: start, isWhole: isWhole)
            }
            position += 1
        }
        return try number(from: start, isWhole: isWhole)
    }

    private func number(from start: Int, isWhole: Bool) throws(JSONSyntaxError) -> JSON {
        let digits = string(start..<position)
        if isWhole, let whole = Int(digits) { return .int(whole) }
        guard let number = Double(digits), number.isFinite else { throw JSONSyntaxError(position: start) }
        return .double(number)
    }

    // MARK: Text

    private func string(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    private mutating func text() throws(JSONSyntaxError) -> String {
        guard current == UInt8(ascii: "\"") else { throw wrong }
        position += 1
        var result = ""
        var start = position
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                let rest = string(start..<position)
                position += 1
                return result.isEmpty ? rest : result + rest
            case UInt8(ascii: "\\"):
                result += string(start..<position)
                position += 1
                result.unicodeScalars.append(try escape())
                start = position
            case 0..<0x20: throw wrong
            default: position += 1
            }
        }
        throw wrong
    }

    private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        guard let byte = current else { throw wrong }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "u"): return try unicodeEscape()
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        default: throw wrong
        }
    }

    /// The scalar of `\uXXXX` or of a pair of them; a lone surrogate becomes U+FFFD.
    private mutating func unicodeEscape() throws(JSONSyntaxError) -> Unicode.Scalar {
        let high = try fourDigits()
        if let scalar = Unicode.Scalar(high) { return scalar }
        let isPair =
            high < 0xDC00 && position + 6 <= bytes.count && bytes[position] == UInt8(ascii: "\\")
            && bytes[position + 1] == UInt8(ascii: "u")
        guard isPair else { return "\u{FFFD}" }
        position += 2
        let low = try fourDigits()
        guard (0xDC00..<0xE000).contains(low) else { return "\u{FFFD}" }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func fourDigits() throws(JSONSyntaxError) -> UInt32 {
        guard position + 4 <= bytes.count, let value = UInt32(string(position..<position + 4), radix: 16) else {
            throw wrong
        }
        position += 4
        return value
    }
}
