internal import Foundation

/// The texts of a playlist's entry as a filter compares them: without case and diacritics, as bytes.
struct SearchText: Sendable, Hashable {
    private let folded: String
    /// Whether each character is one scalar of the folded text. Only then the bytes of a word are found where Foundation finds it: "ß" is
    /// folded to "ss", but contains no "s".
    private let isExact: Bool

    /// The options with which Foundation compares in the same way.
    private static let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive]
    /// No word that is typed contains it.
    private static let separator = "\0"

    /// Folds texts.
    ///
    /// - Parameter texts: The texts. A word is found in one of them, not across two.
    init(_ texts: [String]) {
        if let plain = Self.foldedPlainText(texts) {
            (folded, isExact) = (plain, true)
        } else {
            let text = texts.joined(separator: Self.separator)
            folded = text.folding(options: Self.options, locale: nil)
            isExact = text.count == folded.count && folded.count == folded.unicodeScalars.count
        }
    }

    /// Folds what most texts are, ASCII without returns, by its bytes.
    private static func foldedPlainText(_ texts: [String]) -> String? {
        var isPlain = true
        let text = String(unsafeUninitializedCapacity: texts.reduce(texts.count) { $0 + $1.utf8.count }) { bytes in
            var count = 0
            for text in texts {
                // A zero between two texts.
                if count > 0 { (bytes[count], count) = (0, count + 1) }
                for byte in text.utf8 {
                    if byte >= 0x80 || byte == UInt8(ascii: "\r") {
                        isPlain = false
                        return 0
                    }
                    let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    (bytes[count], count) = (isUpper ? byte | 0x20 : byte, count + 1)
                }
            }
            return count
        }
        return isPlain ? text : nil
    }

    /// Whether the texts contain a word.
    ///
    /// - Parameter word: The word.
    /// - Returns: `nil` where bytes do not decide, but only Foundation: ``Word/isFound(in:)``.
    func contains(_ word: Word) -> Bool? {
        isExact && word.text.isExact ? Self.find(word.text.folded, in: folded) : nil
    }

    /// A word of a filter.
    struct Word {
        fileprivate let original: String
        fileprivate let text: SearchText

        /// Whether one of the texts, as they are, contains the word.
        func isFound(in texts: [String]) -> Bool {
            texts.contains { $0.range(of: original, options: SearchText.options) != nil }
        }

        /// - Parameter word: The word as it was typed.
        init(_ word: Substring) {
            original = String(word)
            let text = SearchText([original])
            // A mark alone belongs to the character before it.
            let isWhole = ("a" + original).count == original.count + 1
            self.text = isWhole ? text : SearchText(folded: text.folded, isExact: false)
        }
    }

    private init(folded: String, isExact: Bool) { (self.folded, self.isExact) = (folded, isExact) }

    /// `String.contains` takes 65 ms for the short texts of a hundred thousand entries, and this 1 ms.
    private static func find(_ word: String, in text: String) -> Bool {
        withBytes(of: word) { word in
            guard let first = word.baseAddress else { return true }
            return withBytes(of: text) { text in
                guard var start = text.baseAddress else { return false }
                var rest = text.count
                while rest >= word.count, let found = memchr(start, Int32(first.pointee), rest - word.count + 1) {
                    if memcmp(found, first, word.count) == 0 { return true }
                    let next = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) + 1
                    rest -= next - start
                    start = next
                }
                return false
            }
        }
    }

    private static func withBytes<Result>(
        of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        var text = text
        return text.withUTF8(body)
    }
}
