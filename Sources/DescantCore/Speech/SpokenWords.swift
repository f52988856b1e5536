/// The words of a text, as speech marks name them.
public enum SpokenWords {
    /// Finds the words.
    ///
    /// A word is what stands between white space, without the punctuation around it; where a script writes no spaces
    /// between words (Chinese, Japanese, Thai and their kin), every character is one. Punctuation alone is no word.
    ///
    /// - Parameter text: Any text.
    /// - Returns: UTF-8 ranges, rising, without overlap.
    public static func ranges(in text: String) -> [Range<Int>] {
        var words: [Range<Int>] = []
        var open: Range<Int>?  // From the first to behind the last character of the word that belongs to it.
        var offset = 0
        func close() {
            if let open { words.append(open) }
            open = nil
        }
        for character in text {
            let end = offset + character.utf8.count
            switch kind(of: character) {
            case .space: close()
            case .mark: break
            case .alone:
                close()
                words.append(offset..<end)
            case .part: open = (open?.lowerBound ?? offset)..<end
            }
            offset = end
        }
        close()
        return words
    }

    private enum Kind { case space, mark, part, alone }

    private static func kind(of character: Character) -> Kind {
        guard let scalar = character.unicodeScalars.first else { return .space }
        if character.isWhitespace { return .space }
        if scalar.isWrittenWithoutSpaces { return .alone }
        if character.isLetter || character.isNumber { return .part }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned: return .space
        case .otherSymbol: return .part  // Emoji are spoken by their names.
        case .mathSymbol, .currencySymbol: return .part
        case .modifierSymbol: return scalar.properties.isEmojiPresentation ? .part : .mark
        case .nonspacingMark, .spacingMark, .enclosingMark: return .part
        default: return .mark
        }
    }
}

extension Unicode.Scalar {
    /// Whether the scalar belongs to a script in which words are not set apart.
    fileprivate var isWrittenWithoutSpaces: Bool {
        switch value {
        case 0x0E01...0x0EDF, 0x1000...0x109F, 0x1780...0x17B3: true  // Thai, Lao, Burmese, Khmer
        case 0x3005...0x3007, 0x3041...0x30FF, 0x31F0...0x31FF: properties.isAlphabetic || properties.isIdeographic
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: properties.isIdeographic
        default: false
        }
    }
}
