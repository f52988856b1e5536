internal import Descant

/// A request's text, divided into the clauses for sherpa-onnx.
struct SherpaText {
    /// A clause of words that the lexicon has.
    struct Clause {
        /// The text for the library.
        var text = ""
        /// The words, and the fraction of the clause before each.
        var words: [(range: Range<Int>, weight: Double)] = []
        fileprivate(set) var weight = 0.0
        /// The number of tokens, including those of spaces.
        fileprivate var length = 0

        /// Where a word begins in the clause's sound: in proportion to the characters before it.
        func frame(of weight: Double, in frames: Int) -> Int64 {
            self.weight > 0 ? min(Int64(max(0, frames - 1)), Int64(Double(frames) * weight / self.weight)) : 0
        }
    }

    /// The maximum length of a clause. A clause is synthesised as a whole, so a long one would delay the first sound.
    private static let maximumWords = 20
    /// The length of the pause at a comma or full stop, in characters (measured on a chapter of speech).
    private static let signWeight = 9.0

    /// The punctuation marks at which sherpa-onnx ends a clause.
    private static let signs: [Character: Character] = [
        ",": ",", ".": ".", ";": ";", ":": ":", "!": "!", "?": "?", "\n": ".", "\r\n": ".", "…": ".", "，": ",",
        "、": ",",
        "；": ";", "：": ":", "。": ".", "！": "!", "？": "?",
    ]

    private(set) var clauses: [Clause] = []
    private(set) var unknown: [Range<Int>] = []

    /// Divides a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - lexicon: The lexicon of the model.
    ///   - maximumLength: The maximum number of tokens of a clause; `nil` for no limit.
    init(_ text: String, lexicon: SherpaLexicon, maximumLength: Int? = nil) {
        let bytes = Array(text.utf8)
        let words = SpokenWords.ranges(in: text)
        let limit = maximumLength ?? .max
        var clause = Clause()
        for (index, range) in words.enumerated() {
            let word = String(decoding: bytes[range], as: UTF8.self)
            if let entry = lexicon.entry(of: word), entry.length <= limit {
                if clause.length + entry.length + 1 > limit { close(&clause, with: nil) }
                // Scripts without spaces are passed without spaces; sherpa-onnx finds longer words itself.
                let isJoined = clause.words.last?.range.upperBound == range.lowerBound
                if !clause.text.isEmpty, !isJoined { clause.text += " " }
                clause.words.append((range, clause.weight))
                clause.text += entry.spelling
                clause.weight += Double(word.count) + (isJoined ? 0 : 1)
                clause.length += entry.length + 1
            } else {
                unknown.append(range)
            }
            let next = index + 1 < words.count ? words[index + 1].lowerBound : bytes.count
            let between = String(decoding: bytes[range.upperBound..<next], as: UTF8.self)
            let sign = between.lazy.compactMap { Self.signs[$0] }.first
            if sign != nil || clause.words.count >= Self.maximumWords || index + 1 == words.count {
                close(&clause, with: sign)
            }
        }
    }

    /// The text with which a model is tested: all tokens of its lexicon that have examples, and the punctuation marks.
    static func trying(_ lexicon: SherpaLexicon, maximumLength: Int?) -> [String] {
        let ends = [",", ";", ":", "!", "?", "."]
        let words = lexicon.examples.enumerated().map { index, word in word + (index < ends.count ? ends[index] : "") }
        let clauses = SherpaText(words.joined(separator: " "), lexicon: lexicon, maximumLength: maximumLength).clauses
        return clauses.isEmpty ? lexicon.examples.map { $0 + "." } : clauses.map(\.text)
    }

    private mutating func close(_ clause: inout Clause, with sign: Character?) {
        defer { clause = Clause() }
        guard !clause.words.isEmpty else { return }
        clause.text.append(sign ?? ".")
        clause.weight += Self.signWeight
        clauses.append(clause)
    }
}
