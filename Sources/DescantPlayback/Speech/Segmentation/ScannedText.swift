/// A text as scalars with their kinds and places; made in one pass.
struct ScannedText: Sendable {
    let scalars: [Unicode.Scalar]
    let kinds: [ScalarKind]
    /// The UTF-8 offset of every scalar, and the length of the whole at the end.
    let offsets: [Int]

    init(_ text: String) {
        let length = text.utf8.count
        var scalars: [Unicode.Scalar] = []
        var kinds: [ScalarKind] = []
        var offsets: [Int] = []
        scalars.reserveCapacity(length)
        kinds.reserveCapacity(length)
        offsets.reserveCapacity(length + 1)
        var offset = 0
        for scalar in text.unicodeScalars {
            scalars.append(scalar)
            kinds.append(ScalarKind(scalar))
            offsets.append(offset)
            offset += UTF8.width(scalar)
        }
        offsets.append(offset)
        self.scalars = scalars
        self.kinds = kinds
        self.offsets = offsets
    }

    var count: Int { scalars.count }

    /// The kind at an index; white space beyond the end.
    func kind(_ index: Int) -> ScalarKind { index >= 0 && index < kinds.count ? kinds[index] : .newline }

    /// The first index from here on that does not fulfil a condition.
    func skip(from index: Int, limit: Int? = nil, while condition: (ScalarKind) -> Bool) -> Int {
        let end = min(limit ?? count, count)
        var index = index
        while index < end, condition(kinds[index]) { index += 1 }
        return index
    }

    /// The text between two indices, for short pieces.
    func string(_ range: Range<Int>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[range])
        return String(view)
    }

    /// Whether text may be divided before this index without tearing a character apart.
    func isBoundary(_ index: Int) -> Bool {
        guard index > 0, index < count else { return true }
        if kinds[index] == .mark || scalars[index - 1].value == 0x200D { return false }
        if scalars[index - 1] == "\r", scalars[index] == "\n" { return false }
        return !(Self.isRegional(scalars[index]) && Self.isRegional(scalars[index - 1]))
    }

    private static func isRegional(_ scalar: Unicode.Scalar) -> Bool { (0x1F1E6...0x1F1FF).contains(scalar.value) }
}

/// What a character means for the division of text.
enum ScalarKind: UInt8, Sendable {
    case lowercase
    case uppercase
    /// A letter of a script without case: Arabic, Hebrew, Thai.
    case letter
    /// Ideographs and kana, which are written without spaces.
    case ideograph
    case digit
    /// Belongs to the character before it: accents, joiners, variation selectors.
    case mark
    case space
    case newline
    /// A full stop, which ends a sentence or an abbreviation.
    case dot
    /// `!`, `?`: ends a sentence when a space follows.
    case terminator
    /// `。`, `؟`, `।`: ends a sentence whatever follows.
    case fullTerminator
    case ellipsis
    case opener
    case closer
    /// `"` and `'`, which open and close.
    case quote
    /// `,` and its relatives.
    case comma
    /// `;`, `:`, dashes between words.
    case semicolon
    case hyphen
    /// Emoji, currency, mathematics: something that has a name.
    case symbol
    case punctuation
    /// Nothing that is spoken or seen.
    case control

    /// Whether a voice has something to say.
    var isSpeakable: Bool {
        switch self {
        case .lowercase, .uppercase, .letter, .ideograph, .digit, .symbol: true
        default: false
        }
    }

    var isLetter: Bool {
        switch self {
        case .lowercase, .uppercase, .letter, .ideograph: true
        default: false
        }
    }

    var isSpace: Bool { self == .space || self == .newline }

    /// The kind of a scalar.
    init(_ scalar: Unicode.Scalar) {
        self = scalar.isASCII ? Self.ascii(scalar) : Self.wide(scalar)
    }

    private static func ascii(_ scalar: Unicode.Scalar) -> ScalarKind {
        switch scalar {
        case "a"..."z": .lowercase
        case "A"..."Z": .uppercase
        case "0"..."9": .digit
        case " ", "\t": .space
        case "\n", "\r", "\u{0B}", "\u{0C}": .newline
        case ".": .dot
        case "!", "?": .terminator
        case "(", "[", "{": .opener
        case ")", "]", "}": .closer
        case "\"", "'": .quote
        case ",": .comma
        case ";", ":": .semicolon
        case "-": .hyphen
        case "$", "+", "=", "%", "&", "@": .symbol
        default: scalar.value < 0x20 || scalar.value == 0x7F ? .control : .punctuation
        }
    }

    private static func wide(_ scalar: Unicode.Scalar) -> ScalarKind {
        switch scalar {
        case "…", "⋯": return .ellipsis
        case "。", "！", "？", "｡", "．", "؟", "۔", "।", "॥", "։", "።", "။", "។", "‼", "⁇", "⁈", "⁉": return .fullTerminator
        case "،", "、", "，", "､": return .comma
        case "；", "：", "؛", "—", "–", "―": return .semicolon
        case "\u{85}", "\u{2028}", "\u{2029}": return .newline
        case "\u{200B}": return .space
        case "‐", "‑": return .hyphen
        case "’": return .closer
        // What stands for damaged text.
        case "\u{FFFD}", "\u{FFFC}": return .control
        default: return byCategory(scalar)
        }
    }

    private static func byCategory(_ scalar: Unicode.Scalar) -> ScalarKind {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter: .lowercase
        case .uppercaseLetter, .titlecaseLetter: .uppercase
        case .otherLetter: isIdeographic(scalar) ? .ideograph : .letter
        case .modifierLetter: isIdeographic(scalar) ? .mark : .letter
        case .decimalNumber, .letterNumber, .otherNumber: .digit
        case .nonspacingMark, .spacingMark, .enclosingMark: .mark
        case .spaceSeparator: .space
        case .lineSeparator, .paragraphSeparator: .newline
        case .openPunctuation, .initialPunctuation: .opener
        case .closePunctuation, .finalPunctuation: .closer
        case .currencySymbol, .mathSymbol, .otherSymbol: .symbol
        case .modifierSymbol: scalar.properties.isEmojiModifier ? .mark : .symbol
        // Joiners, soft hyphens, marks of direction: invisible, and no reason to divide a word.
        case .format: .mark
        case .control, .surrogate, .privateUse, .unassigned: .control
        default: .punctuation
        }
    }

    private static func isIdeographic(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3005...0x3007, 0x3040...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF,
            0xFF66...0xFF9F, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
