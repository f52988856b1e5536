/// Parses JSON text (RFC 8259) of any length; arrays and objects may be nested 512 levels deep.
///
/// A message is parsed once into a ``JSONValue``, and models read the fields that they know from it, so an unexpected
/// field never makes a message unreadable. Python writes `NaN` and `Infinity` for numbers that JSON does not have: they
/// are `null`.
struct JSONParser {
    private static let maximumDepth = 512

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var depth = 0

    /// Reads one value that fills the bytes.
    static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONSyntaxError) -> JSONValue {
        var parser = JSONParser(bytes: bytes)
        let value = try parser.value()
        parser.skipSpace()
        guard parser.offset == bytes.count else { throw parser.error("text after the value") }
        return value
    }

    private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private func error(_ problem: String) -> JSONSyntaxError { JSONSyntaxError(problem: problem, offset: offset) }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private mutating func value() throws(JSONSyntaxError) -> JSONValue {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "N"): return try word("NaN", .null)
        case UInt8(ascii: "I"): return try word("Infinity", .null)
        case .some: return try number()
        case nil: throw error("the text ends where a value should be")
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        let count = text.utf8CodeUnitCount
        guard offset + count <= bytes.count else { throw error("an unknown word") }
        for index in 0..<count where bytes[offset + index] != text.utf8Start[index] { throw error("an unknown word") }
        offset += count
        return value
    }

    // MARK: Arrays and objects

    private mutating func enter() throws(JSONSyntaxError) {
        depth += 1
        guard depth <= Self.maximumDepth else { throw error("more than \(Self.maximumDepth) levels") }
        offset += 1
        skipSpace()
    }

    /// Steps over a separator; false when `close` ends the container.
    private mutating func continues(until close: UInt8) throws(JSONSyntaxError) -> Bool {
        skipSpace()
        guard let byte = current else { throw error("the text ends within an array or object") }
        offset += 1
        if byte == UInt8(ascii: ",") { return true }
        guard byte == close else {
            offset -= 1
            throw error("neither a comma nor the end of the array or object")
        }
        depth -= 1
        return false
    }

    private mutating func array() throws(JSONSyntaxError) -> JSONValue {
        try enter()
        var elements: [JSONValue] = []
        if current == UInt8(ascii: "]") {
            offset += 1
            depth -= 1
            return .array([])
        }
        repeat { elements.append(try value()) } while try continues(until: UInt8(ascii: "]"))
        return .array(elements)
    }

    private mutating func object() throws(JSONSyntaxError) -> JSONValue {
        try enter()
        var members: [String: JSONValue] = [:]
        if current == UInt8(ascii: "}") {
            offset += 1
            depth -= 1
            return .object([:])
        }
        repeat {
            skipSpace()
            guard current == UInt8(ascii: "\"") else { throw error("a member without a name") }
            let name = try string()
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw error("a name without a colon") }
            offset += 1
            members[name] = try value()
        } while try continues(until: UInt8(ascii: "}"))
        return .object(members)
    }

    // MARK: Strings

    private mutating func string() throws(JSONSyntaxError) -> String {
        offset += 1
        let start = offset
        while let byte = current {
            if byte == UInt8(ascii: "\"") {
                let text = String(decoding: bytes[start..<offset], as: UTF8.self)
                offset += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            guard byte >= 0x20 else { throw error("a control character in a string") }
            offset += 1
        }
        throw error("the text ends within a string")
    }

    private mutating func escapedString(from start: Int) throws(JSONSyntaxError) -> String {
        var units = Array(bytes[start..<offset])
        while let byte = current {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: units, as: UTF8.self)
            case UInt8(ascii: "\\"): units.append(contentsOf: Array(String(try escape()).utf8))
            case ..<0x20: throw error("a control character in a string")
            default: units.append(byte)
            }
        }
        throw error("the text ends within a string")
    }

    private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        guard let byte = current else { throw error("the text ends within an escape") }
        offset += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw error("an unknown escape")
        }
    }

    /// The scalar of `\uXXXX`, or of two of them; a lone surrogate becomes U+FFFD.
    private mutating func unicodeEscape() throws(JSONSyntaxError) -> Unicode.Scalar {
        let high = try fourHexDigits()
        if let scalar = Unicode.Scalar(high) { return scalar }
        let next = offset
        guard high < 0xDC00, current == UInt8(ascii: "\\"), next + 1 < bytes.count,
            bytes[next + 1] == UInt8(ascii: "u")
        else { return "\u{FFFD}" }
        offset += 2
        let low = try fourHexDigits()
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else {
            offset = next
            return "\u{FFFD}"
        }
        return scalar
    }

    private mutating func fourHexDigits() throws(JSONSyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = current.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw error("fewer than four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }

    // MARK: Numbers

    private mutating func number() throws(JSONSyntaxError) -> JSONValue {
        let start = offset
        let isNegative = current == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        if isNegative, current == UInt8(ascii: "I") { return try word("Infinity", .null) }
        var whole = 0
        var fits = true
        let digits = offset
        while let byte = current, (0x30...0x39).contains(byte) {
            let (product, overflows) = whole.multipliedReportingOverflow(by: 10)
            let (sum, carries) = product.addingReportingOverflow(Int(byte - 0x30))
            fits = fits && !overflows && !carries
            whole = sum
            offset += 1
        }
        guard offset > digits else { throw error("no value begins here") }
        guard bytes[digits] != 0x30 || offset == digits + 1 else { throw error("a number with a leading zero") }
        let hasFraction = try fraction()
        let hasExponent = try exponent()
        if fits, !hasFraction, !hasExponent { return .int(isNegative ? -whole : whole) }
        return .double(Double(String(decoding: bytes[start..<offset], as: UTF8.self)) ?? 0)
    }

    private mutating func fraction() throws(JSONSyntaxError) -> Bool {
        guard current == UInt8(ascii: ".") else { return false }
        offset += 1
        try digitRun()
        return true
    }

    private mutating func exponent() throws(JSONSyntaxError) -> Bool {
        guard current == UInt8(ascii: "e") || current == UInt8(ascii: "E") else { return false }
        offset += 1
        if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { offset += 1 }
        try digitRun()
        return true
    }

    private mutating func digitRun() throws(JSONSyntaxError) {
        let start = offset
        while let byte = current, (0x30...0x39).contains(byte) { offset += 1 }
        guard offset > start else { throw error("a number without digits") }
    }
}
