internal import Foundation

/// Reads XML and HTML of any quality: it never fails, never looks back, and never leaves the document.
struct MarkupScanner: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var place = 0
    private var pending: MarkupToken?
    /// Elements whose content is no markup.
    private static let raw: Set<String> = ["script", "style"]

    /// Creates a scanner.
    ///
    /// - Parameter text: The document.
    init(_ text: String) { bytes = Array(text.utf8) }

    /// The next token; `nil` at the end.
    mutating func next() -> MarkupToken? {
        if let token = pending {
            pending = nil
            return token
        }
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "<"), let kind = character(1) else { return text() }
            switch kind {
            case UInt8(ascii: "!"): if let token = declaration() { return token }
            case UInt8(ascii: "?"): skip(behind: "?>")
            case UInt8(ascii: "/"): return end()
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
                return start()
            default: return text()
            }
        }
        return nil
    }

    private func character(_ distance: Int) -> UInt8? {
        place + distance < bytes.count ? bytes[place + distance] : nil
    }

    private func begins(with text: StaticString, at place: Int) -> Bool {
        guard place + text.utf8CodeUnitCount <= bytes.count else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[place + $0] == text.utf8Start[$0] }
    }

    private func find(_ text: StaticString, from start: Int) -> Int? {
        guard start < bytes.count else { return nil }
        return (start..<bytes.count).first { bytes[$0] == text.utf8Start[0] && begins(with: text, at: $0) }
    }

    private mutating func skip(behind text: StaticString) {
        place = find(text, from: place).map { $0 + text.utf8CodeUnitCount } ?? bytes.count
    }

    private func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    // MARK: Tokens

    private mutating func text() -> MarkupToken {
        let start = place
        let next = bytes[(place + 1)...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        place = next
        return .text(MarkupEntities.decoded(string(start..<next)))
    }

    /// Comments, document types and CDATA; only the last is text.
    private mutating func declaration() -> MarkupToken? {
        if begins(with: "<!--", at: place) {
            place += 4
            skip(behind: "-->")
        } else if begins(with: "<![CDATA[", at: place) {
            let start = place + 9
            let end = find("]]>", from: start) ?? bytes.count
            place = Swift.min(bytes.count, end + 3)
            return .text(string(Swift.min(start, end)..<end))
        } else {
            doctype()
        }
        return nil
    }

    /// A document type may hold declarations of its own, in brackets. Entities that it declares are not known here.
    private mutating func doctype() {
        var depth = 0
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if byte == UInt8(ascii: "[") { depth += 1 }
            if byte == UInt8(ascii: "]") { depth -= 1 }
            if byte == UInt8(ascii: ">"), depth <= 0 { return }
        }
    }

    private mutating func end() -> MarkupToken {
        place += 2
        let name = name()
        skip(behind: ">")
        return .end(name)
    }

    private mutating func start() -> MarkupToken {
        place += 1
        let name = name()
        var attributes: [String: String] = [:]
        while place < bytes.count, bytes[place] != UInt8(ascii: ">") {
            if bytes[place] == UInt8(ascii: "/"), character(1) == UInt8(ascii: ">") {
                pending = .end(name)
                place += 1
            } else if let (key, value) = attribute() {
                attributes[key] = value
            }
        }
        place += 1
        if pending == nil, Self.raw.contains(name) { skipRaw(name) }
        return .start(name, attributes)
    }

    /// Goes to the end of an element whose content is no markup.
    private mutating func skipRaw(_ name: String) {
        while let end = find("</", from: place) {
            place = end
            let length = name.utf8.count
            if end + 2 + length <= bytes.count, string(end + 2..<end + 2 + length).lowercased() == name { return }
            place += 2
        }
        place = bytes.count
    }

    /// A name without its prefix.
    private mutating func name() -> String {
        let start = place
        while place < bytes.count, !Self.endsName(bytes[place]) { place += 1 }
        let name = string(start..<place).lowercased()
        return name.split(separator: ":").last.map(String.init) ?? name
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
            || byte == UInt8(ascii: "<")
    }

    private mutating func attribute() -> (String, String)? {
        let before = place
        let key = name()
        guard !key.isEmpty else {
            place = before + 1
            return nil
        }
        skipBlanks()
        guard place < bytes.count, bytes[place] == UInt8(ascii: "=") else { return (key, "") }
        place += 1
        skipBlanks()
        return (key, MarkupEntities.decoded(value()))
    }

    private mutating func skipBlanks() { while place < bytes.count, bytes[place] <= 0x20 { place += 1 } }

    private mutating func value() -> String {
        guard place < bytes.count else { return "" }
        let quote = bytes[place]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            let start = place + 1
            let end = bytes[start...].firstIndex(of: quote) ?? bytes.count
            place = Swift.min(bytes.count, end + 1)
            return string(start..<end)
        }
        let start = place
        while place < bytes.count, bytes[place] > 0x20, bytes[place] != UInt8(ascii: ">") { place += 1 }
        return string(start..<place)
    }
}
