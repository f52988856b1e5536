/// The text encodings of ID3v2.
package enum ID3Text {
    /// Decodes texts that are separated by zeros.
    ///
    /// - Parameters:
    ///   - bytes: The texts.
    ///   - encoding: 0 Latin-1, 1 UTF-16 with a byte order mark, 2 UTF-16 big-endian, 3 UTF-8.
    package static func texts(_ bytes: ArraySlice<UInt8>, encoding: UInt8) -> [String] {
        var texts: [String]
        switch encoding {
        case 0: texts = bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(latin1: $0) }
        case 3:
            texts = bytes.split(separator: 0, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        case 1, 2: texts = wideTexts(bytes, isBig: encoding == 2)
        default: return []
        }
        // A zero at the end ends the last text and does not begin another one.
        if texts.count > 1, texts.last?.isEmpty == true { texts.removeLast() }
        return texts
    }

    private static func wideTexts(_ bytes: ArraySlice<UInt8>, isBig: Bool) -> [String] {
        var isBig = isBig
        var units: [[UInt16]] = [[]]
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            index += 2
            if units[units.count - 1].isEmpty, first == 0xFE, second == 0xFF { isBig = true; continue }
            if units[units.count - 1].isEmpty, first == 0xFF, second == 0xFE { isBig = false; continue }
            let unit = isBig ? first << 8 | second : second << 8 | first
            if unit == 0 { units.append([]) } else { units[units.count - 1].append(unit) }
        }
        return units.map { String(decoding: $0, as: UTF16.self) }
    }

    /// The encoding for texts: UTF-8 in version 2.4; in earlier versions Latin-1 where it suffices, else UTF-16.
    package static func encoding(for texts: [String], version: Int) -> UInt8 {
        if version == 4 { return 3 }
        return texts.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value <= 0xFF } } ? 0 : 1
    }

    /// Encodes a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - encoding: One that ``encoding(for:version:)`` gave.
    ///   - isClosed: Whether a zero follows.
    package static func bytes(_ text: String, encoding: UInt8, isClosed: Bool) -> [UInt8] {
        switch encoding {
        case 0: return (text.latin1 ?? []) + (isClosed ? [0] : [])
        case 1:
            let units = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            return [0xFF, 0xFE] + units + (isClosed ? [0, 0] : [])
        default: return Array(text.utf8) + (isClosed ? [0] : [])
        }
    }

    /// Encodes several texts, separated by zeros, behind the encoding byte.
    package static func content(_ texts: [String], version: Int) -> [UInt8] {
        let encoding = encoding(for: texts, version: version)
        return texts.enumerated().reduce(into: [encoding]) { bytes, text in
            bytes += Self.bytes(text.element, encoding: encoding, isClosed: text.offset < texts.count - 1)
        }
    }
}
