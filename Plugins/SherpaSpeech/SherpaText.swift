internal import Descant

/// A request's text, divided into what sherpa-onnx is given at a time.
struct SherpaText {
    /// A clause of words that the lexicon has.
    struct Clause {
        /// What is given to the library.
        var text = ""
        /// The words, and what share of the clause lies before each.
        var words: [(range: Range<Int>, weight: Double)] = []
        fileprivate(set) var weight = 0.0

        /// Where a word begins in the clause's sound: in proportion to the characters before it.
        func frame(of weight: Double, in frames: Int) -> Int64 {
            self.weight > 0 ? min(Int64(max(0, frames - 1)), Int64(Double(frames) * weight / self.weight)) : 0
        }
    }

    /// A clause is made as a whole, so a long one would be waited for.
    private static let greatestWords = 20
    /// The pause at a comma or full stop takes the time of so many characters (measured on a chapter of speech).
    private static let signWeight = 9.0

    private(set) var clauses: [Clause] = []
    private(set) var unknown: [Range<Int>] = []

    init(_ text: String, lexicon: Set<String>) {
        let bytes = Array(text.utf8)
        let words = SpokenWords.ranges(in: text)
        var clause = Clause()
        for (index, range) in words.enumerated() {
            let word = String(decoding: bytes[range], as: UTF8.self)
            if Self.isKnown(word, lexicon) {
                if !clause.text.isEmpty { clause.text += " " }
                clause.words.append((range, clause.weight))
                clause.text += word
                clause.weight += Double(word.count) + 1
            } else {
                unknown.append(range)
            }
            let next = index + 1 < words.count ? words[index + 1].lowerBound : bytes.count
            let sign = bytes[range.upperBound..<next].first { ",.;:!?\n".utf8.contains($0) }
            if sign != nil || clause.words.count >= Self.greatestWords || index + 1 == words.count {
                close(&clause, with: sign)
            }
        }
    }

    private mutating func close(_ clause: inout Clause, with sign: UInt8?) {
        defer { clause = Clause() }
        guard !clause.words.isEmpty else { return }
        let isPlain = sign == nil || sign == UInt8(ascii: "\n")
        clause.text.unicodeScalars.append(isPlain ? "." : Unicode.Scalar(sign ?? 0x2E))
        clause.weight += Self.signWeight
        clauses.append(clause)
    }

    /// sherpa-onnx leaves out what its lexicon has not, and tells nobody; it looks words up in small letters.
    private static func isKnown(_ word: String, _ lexicon: Set<String>) -> Bool {
        let small = word.lowercased()
        if lexicon.contains(small) { return true }
        let parts = small.split { !$0.isLetter && !$0.isNumber && $0 != "'" }
        return parts.count > 1 && parts.allSatisfy { lexicon.contains(String($0)) }
    }
}
