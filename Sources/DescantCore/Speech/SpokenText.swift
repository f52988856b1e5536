/// A text as an engine gets it, and the way back from a place in it to the place in the request.
///
/// Speech engines fail on input that nobody would speak: words of hundreds of letters, numbers of thousands of digits,
/// rows of dots. Such runs are broken by spaces, and what an engine cannot read is replaced.
public struct SpokenText: Sendable {
    /// Where runs are broken.
    public struct Limits: Sendable, Hashable {
        /// The most letters in a row.
        public var letters: Int
        /// The most digits in a row.
        public var digits: Int
        /// The most other signs in a row; more are left out.
        public var signs: Int

        /// Sets limits.
        ///
        /// - Parameters:
        ///   - letters: The most letters in a row.
        ///   - digits: The most digits in a row.
        ///   - signs: The most other signs in a row.
        public init(letters: Int = 60, digits: Int = 9, signs: Int = 8) {
            self.letters = letters
            self.digits = digits
            self.signs = signs
        }
    }

    /// What to give to the engine.
    public private(set) var text = ""
    /// UTF-8 ranges of the request that were left out, as the engine has no sound for them; rising.
    public private(set) var omitted: [Range<Int>] = []
    /// For every scalar of ``text`` the UTF-8 offset in the request of what it stands for.
    private var sources: [Int] = []
    private let sourceEnd: Int

    /// Prepares a text.
    ///
    /// - Parameters:
    ///   - source: The request's text.
    ///   - limits: Where runs are broken.
    ///   - rewrite: What the engine gets for a character: itself, something like it, or `nil` when it has no sound for it.
    public init(_ source: String, limits: Limits = Limits(), rewrite: (Character) -> String? = { String($0) }) {
        sourceEnd = source.utf8.count
        var scalars = String.UnicodeScalarView()
        var run = (kind: Kind.space, length: 0)
        var offset = 0
        for character in source {
            let length = character.utf8.count
            defer { offset += length }
            let replacement: String
            if character.isWhitespace || character.unicodeScalars.allSatisfy(\.isFormat) {
                replacement = " "
            } else if character.unicodeScalars.allSatisfy(\.isUnspeakable) {
                omit(offset..<offset + length)
                replacement = " "
            } else if let rewritten = rewrite(character) {
                replacement = rewritten
            } else {
                omit(offset..<offset + length)
                replacement = " "
            }
            for scalar in replacement.unicodeScalars {
                let kind = Kind(scalar)
                run = kind == run.kind ? (kind, run.length + 1) : (kind, 1)
                if kind == .sign, run.length > limits.signs { continue }
                let limit = kind == .letter ? limits.letters : kind == .digit ? limits.digits : Int.max
                if run.length > limit {
                    scalars.append(" ")
                    sources.append(offset)
                    run.length = 1
                }
                scalars.append(scalar)
                sources.append(offset)
            }
        }
        text = String(scalars)
    }

    /// The place in the request that a scalar of ``text`` stands for.
    ///
    /// - Parameter index: Counted from 0; beyond the end is the request's end.
    /// - Returns: An offset in UTF-8 bytes.
    public func sourceOffset(ofScalar index: Int) -> Int {
        index < 0 ? 0 : index < sources.count ? sources[index] : sourceEnd
    }

    private mutating func omit(_ range: Range<Int>) {
        if let last = omitted.last, last.upperBound == range.lowerBound {
            omitted[omitted.count - 1] = last.lowerBound..<range.upperBound
        } else {
            omitted.append(range)
        }
    }

    private enum Kind {
        case letter, digit, sign, space

        init(_ scalar: Unicode.Scalar) {
            switch scalar.properties.generalCategory {
            case .decimalNumber: self = .digit
            case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control: self = .space
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
                .spacingMark, .enclosingMark, .letterNumber, .otherNumber, .format:
                self = .letter
            default: self = .sign
            }
        }
    }
}

extension Unicode.Scalar {
    /// Marks of direction and their like, except for the joiners, which shape words and emoji.
    fileprivate var isFormat: Bool {
        properties.generalCategory == .format && value != 0x200C && value != 0x200D
    }

    /// Control characters, replacement characters, private and unassigned scalars.
    fileprivate var isUnspeakable: Bool {
        switch properties.generalCategory {
        case .control, .surrogate, .privateUse, .unassigned: true
        default: value == 0xFFFC || value == 0xFFFD
        }
    }
}

/// The words of a text, as speech marks name them.
public enum SpokenWords {
    /// Finds the words.
    ///
    /// A word is what stands between white space, without the punctuation around it; where a script writes no spaces
    /// between words (Chinese, Japanese, Thai and their kin), every character is one. Punctuation alone is not a word.
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
