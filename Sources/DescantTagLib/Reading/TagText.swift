internal import Foundation

/// Conversions of the texts of tags into values.
enum TagText {
    /// Decodes a text without the blanks and zero bytes at its ends.
    static func string(_ bytes: UnsafeRawBufferPointer) -> String {
        var (start, end) = (0, bytes.count)
        while start < end, isBlank(bytes[start]) { start += 1 }
        while end > start, isBlank(bytes[end - 1]) { end -= 1 }
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0 }

    /// The first four consecutive digits: "2019-05-03" and "03.05.2019" are 2019.
    static func year(_ text: String) -> Int? {
        var (digits, value) = (0, 0)
        for byte in text.utf8 {
            guard (0x30...0x39).contains(byte) else {
                (digits, value) = (0, 0)
                continue
            }
            (digits, value) = (digits + 1, value * 10 + Int(byte) - 0x30)
            if digits == 4 { return value >= 1_000 ? value : nil }
        }
        return nil
    }

    /// Parses "7", "07", "7/12" and "/12".
    static func numberAndTotal(_ text: String) -> (Int?, Int?) {
        guard let slash = text.utf8.firstIndex(of: 0x2F) else { return (count(text[...]), nil) }
        return (count(text[..<slash]), count(text[text.utf8.index(after: slash)...]))
    }

    /// A whole number of 1 or more.
    static func count(_ text: Substring) -> Int? {
        var digits = text.utf8.drop { isBlank($0) }
        while let last = digits.last, isBlank(last) { digits.removeLast() }
        guard !digits.isEmpty, digits.count <= 9 else { return nil }
        var value = 0
        for byte in digits {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte) - 0x30
        }
        return value >= 1 ? value : nil
    }

    /// The number at the beginning: "-3.21 dB", "+1,5" and "120".
    static func decimal(_ text: String) -> Double? {
        let number = text.prefix { "+-.,0123456789".contains($0) }
        return Double(number.replacing(",", with: ".")).flatMap { $0.isFinite ? $0 : nil }
    }

    /// A magnitude, linear: 0 or more.
    static func peak(_ text: String) -> Double? { decimal(text).flatMap { $0 >= 0 ? $0 : nil } }
}
