/// Finds the ends of sentences and paragraphs. One pass; what is looked at again is bounded.
struct SentenceBreaker {
    private let text: ScannedText
    /// The primary subtag of the language, in lower case: `de`.
    private let language: String

    /// The longest word that is compared with abbreviations, in scalars.
    private static let longestAbbreviation = 12

    /// Languages that write ordinal numbers with a stop.
    private static let ordinalLanguages: Set<String> = ["de", "da", "nb", "nn", "no", "fi", "cs", "sk", "hu", "pl"]

    init(_ text: ScannedText, language: String?) {
        self.text = text
        self.language = String((language ?? "").prefix { $0 != "-" && $0 != "_" }).lowercased()
    }

    /// Calls a body with every sentence, in order, with the boundary behind it. Ranges are indices of scalars and may have
    /// white space at their ends.
    func forEachSentence(_ body: (Range<Int>, TextSegment.Boundary) -> Void) {
        var start = 0
        var index = 0
        while index < text.count {
            let (end, boundary) = step(at: index, lineStart: start)
            if let boundary {
                body(start..<end, boundary)
                start = end
            }
            index = end
        }
        if start < text.count { body(start..<text.count, .paragraph) }
    }

    /// Looks at one position.
    ///
    /// - Returns: The index behind what was looked at, and the boundary there, if there is one.
    private func step(at index: Int, lineStart: Int) -> (Int, TextSegment.Boundary?) {
        switch text.kinds[index] {
        case .newline: return newline(at: index)
        case .fullTerminator:
            return (behindClosers(behindTerminators(index)), .sentence)
        case .terminator:
            let end = behindClosers(behindTerminators(index))
            return (end, endsSentence(at: end) ? .sentence : nil)
        case .ellipsis:
            let end = behindClosers(behindTerminators(index))
            return (end, endsSentence(at: end) ? .sentence : nil)
        case .dot: return dot(at: index, sentenceStart: lineStart)
        default: return (index + 1, nil)
        }
    }

    // MARK: Lines

    private func newline(at index: Int) -> (Int, TextSegment.Boundary?) {
        var lines = 0
        var end = index
        while end < text.count, text.kinds[end].isSpace {
            if text.kinds[end] == .newline {
                let isPair = text.scalars[end] == "\n" && end > index && text.scalars[end - 1] == "\r"
                if !isPair { lines += 1 }
                if text.scalars[end] == "\u{2029}" || text.scalars[end] == "\u{0C}" { lines += 2 }
            }
            end += 1
        }
        let isBreak = lines > 1 || end >= text.count || beginsItem(at: end)
        return (end, isBreak ? .paragraph : nil)
    }

    /// Whether a line begins like an item of a list: with a bullet, or with a number or letter and a stop.
    private func beginsItem(at index: Int) -> Bool {
        guard index < text.count else { return false }
        switch text.scalars[index] {
        case "-", "*", "+", "•", "‣", "◦", "▪", "–", "—", "·", "#", ">":
            return text.kind(index + 1).isSpace || text.scalars[index] == "#"
        default: break
        }
        let behindNumber = text.skip(from: index, limit: index + 4) { $0 == .digit }
        let isLetter = behindNumber == index && text.kind(index).isLetter
        let stop = isLetter ? index + 1 : behindNumber
        guard stop > index, stop < text.count else { return false }
        let isStop = text.scalars[stop] == ")" || (text.scalars[stop] == "." && !isLetter)
        return isStop && text.kind(stop + 1).isSpace
    }

    // MARK: Stops

    private func behindTerminators(_ index: Int) -> Int {
        text.skip(from: index) { $0 == .terminator || $0 == .fullTerminator || $0 == .dot || $0 == .ellipsis }
    }

    private func behindClosers(_ index: Int) -> Int {
        text.skip(from: index) { $0 == .closer || $0 == .quote || $0 == .mark }
    }

    /// Whether a sentence ends in front of this index, judged by what follows: white space, and not a small letter.
    private func endsSentence(at index: Int) -> Bool {
        guard index < text.count else { return true }
        if text.kinds[index] == .ideograph || text.kinds[index] == .opener { return true }
        guard text.kinds[index].isSpace else { return false }
        return firstKind(after: index) != .lowercase
    }

    /// The kind of the first character behind spaces, quotes and brackets.
    private func firstKind(after index: Int) -> ScalarKind {
        let next = text.skip(from: index, limit: index + 64) { $0.isSpace || $0 == .opener || $0 == .quote }
        return text.kind(next)
    }

    private func dot(at index: Int, sentenceStart: Int) -> (Int, TextSegment.Boundary?) {
        let behind = behindTerminators(index)
        let end = behindClosers(behind)
        // Several dots are an ellipsis, or nonsense; both end a sentence like one.
        if behind - index > 1 { return (end, endsSentence(at: end) ? .sentence : nil) }
        guard endsSentence(at: end) else { return (end, nil) }
        if end >= text.count { return (end, .sentence) }
        let isEnd = end > behind || !isAbbreviation(before: index, end: end, sentenceStart: sentenceStart)
        return (end, isEnd ? .sentence : nil)
    }

    private func isAbbreviation(before dot: Int, end: Int, sentenceStart: Int) -> Bool {
        let start = wordStart(before: dot)
        guard start < dot, dot - start <= Self.longestAbbreviation else { return false }
        let word = text.string(start..<dot)
        let lowered = word.lowercased()
        let next = text.skip(from: end, limit: end + 64) { $0.isSpace || $0 == .opener || $0 == .quote }
        if text.kinds[start..<dot].allSatisfy({ $0 == .digit }) {
            // "3. Oktober" in languages that write ordinals so, and the number of an item at its beginning.
            let isOrdinal = Self.ordinalLanguages.contains(language) && dot - start <= 2
            return isOrdinal || text.skip(from: sentenceStart, limit: sentenceStart + 64, while: \.isSpace) == start
        }
        if Abbreviations.leading.contains(lowered) { return true }
        if Abbreviations.beforeNumbers.contains(lowered) { return text.kind(next) == .digit }
        if Abbreviations.timesOfDay.contains(lowered) { return text.kind(next) == .digit }
        if isDotted(word) || isInitial(start..<dot) {
            return !Abbreviations.openers.contains(nextWord(at: next)) && lowered != "i"
        }
        return false
    }

    /// Whether a word is letters with stops between them, as in "U.S", and not a name on the internet or a version.
    private func isDotted(_ word: String) -> Bool {
        word.contains(".") && word.split(separator: ".").allSatisfy { $0.count <= 2 && $0.allSatisfy(\.isLetter) }
    }

    private func isInitial(_ range: Range<Int>) -> Bool {
        range.count == 1 && text.kinds[range.lowerBound] == .uppercase
    }

    private func wordStart(before dot: Int) -> Int {
        var start = dot
        while start > 0, dot - start <= Self.longestAbbreviation {
            switch text.kinds[start - 1] {
            case .lowercase, .uppercase, .letter, .digit, .mark, .dot, .hyphen: start -= 1
            default: return start
            }
        }
        return start
    }

    private func nextWord(at index: Int) -> String {
        let end = text.skip(from: index, limit: index + 16) { $0.isLetter || $0 == .mark }
        return index < end ? text.string(index..<end).lowercased() : ""
    }
}

/// Words with a full stop that does not end a sentence. Written in lower case, without the last full stop.
enum Abbreviations {
    /// Never the last word of a sentence: a name or a word follows.
    static let leading: Set<String> = [
        "mr", "mrs", "ms", "dr", "prof", "rev", "gen", "col", "capt", "cpt", "lt", "sgt", "hon", "sen", "rep", "gov",
        "pres",
        "messrs", "mme", "mlle", "hr", "fr", "sra", "srta", "dott", "ing", "dipl", "st", "ste", "mt", "vs", "cf", "viz",
        "approx", "ca", "bzw", "ggf", "evtl", "bspw", "vgl", "sog", "inkl", "exkl", "zzgl", "e.g", "i.e", "z.b", "d.h",
        "u.a",
        "o.ä", "s.o", "s.u", "p.ex", "c.-à-d", "п", "г", "ул", "т.е", "т.д",
    ]

    /// Not the last word when a number follows.
    static let beforeNumbers: Set<String> = [
        "no", "nos", "nr", "art", "fig", "figs", "p", "pp", "vol", "vols", "ch", "chap", "sec", "eq", "op", "abs", "bd",
        "kap",
        "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "tel", "ext", "app", "ed",
        "par",
    ]

    /// Words that begin a sentence after an abbreviation that can also stand at its end.
    static let openers: Set<String> = [
        "the", "he", "she", "it", "they", "we", "i", "you", "this", "that", "these", "those", "but", "and", "then",
        "there",
        "however", "in", "on", "at", "a", "an", "if", "when", "what", "who", "why", "how", "der", "die", "das", "er",
        "sie",
        "es", "wir", "aber", "und", "dann", "le", "la", "les", "il", "elle", "ils", "el", "los", "las",
    ]

    /// Times of day end a sentence as soon as a capital letter follows.
    static let timesOfDay: Set<String> = ["a.m", "p.m"]
}
