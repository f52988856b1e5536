/// How many columns text takes on a terminal: 2 for CJK and emoji, 0 for nonspacing marks, 1 for the rest.
public enum DisplayWidth {
    /// Blocks of East Asian Width W and F (Unicode Standard Annex 11) outside the emoji, which have a property of their own.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
    ]

    /// The columns of one character.
    ///
    /// Terminals add up the columns of its parts, as of a consonant and a vowel sign beside it. The parts of an emoji
    /// share the columns of the widest one.
    ///
    /// - Parameter character: A character as people count them, with all its combining marks.
    public static func columns(of character: Character) -> Int {
        var (emoji, others, minimum) = (0, 0, 0)
        for scalar in character.unicodeScalars {
            if scalar.value == 0xFE0F {
                // The character in front of it is shown as an emoji.
                minimum = 2
            } else if scalar.value >= 0xA9, scalar.properties.isEmoji {
                emoji = max(emoji, columns(of: scalar))
            } else {
                others += columns(of: scalar)
            }
        }
        return max(minimum, emoji + others)
    }

    /// The columns of a text.
    ///
    /// - Parameter text: A text without line breaks.
    public static func columns(of text: String) -> Int {
        // One byte a character: the usual case needs no look at properties.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
        return text.reduce(0) { $0 + columns(of: $1) }
    }

    /// The longest prefix of a text that fits, with an ellipsis when text was cut off.
    ///
    /// - Parameters:
    ///   - text: A text without line breaks.
    ///   - width: The available columns.
    public static func clip(_ text: String, to width: Int) -> String {
        guard columns(of: text) > width else { return text }
        guard width > 0 else { return "" }
        var clipped = ""
        var used = 0
        for character in text {
            let columns = columns(of: character)
            if used + columns > width - 1 { break }
            clipped.append(character)
            used += columns
        }
        return clipped + "…"
    }

    /// A text clipped or padded with spaces to a number of columns.
    ///
    /// - Parameters:
    ///   - text: A text without line breaks.
    ///   - width: Columns to fill.
    public static func fit(_ text: String, to width: Int) -> String {
        let clipped = clip(text, to: width)
        return clipped + String(repeating: " ", count: max(0, width - columns(of: clipped)))
    }

    /// A text without control characters, so that tags cannot control the terminal.
    ///
    /// - Parameter text: Any text, such as a tag's value.
    public static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { scalars.append(isControl(scalar) ? " " : scalar) }
        return String(scalars)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Overrides and isolates of the writing direction could hide the text after them.
        default: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        }
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return value < 0x20 || (0x7F..<0xA0).contains(value) || value == 0xAD ? 0 : 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        // Vowels and final consonants of Hangul are drawn in the columns of the first consonant.
        if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
        if scalar.properties.isEmojiPresentation { return 2 }
        return wide.contains { $0.contains(value) } ? 2 : 1
    }
}
