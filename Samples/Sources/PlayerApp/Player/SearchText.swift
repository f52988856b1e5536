internal import Foundation

/// The texts of a playlist's entry as a filter compares them: without case and diacritics, as bytes.
struct SearchText: Sendable, Hashable {
    fileprivate let folded: String
    /// Whether each character is one scalar of the folded text. Only then the bytes of a word are found where Foundation finds it: "ß" is
    /// folded to "ss", but contains no "s".
    fileprivate let isExact: Bool

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
        guard isExact, word.text.isExact else { return nil }
        return Self.withBytes(of: word.text.folded) { word in
            Self.withBytes(of: folded) { Self.find(word, in: $0) }
        }
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
    fileprivate static func find(_ word: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !word.isEmpty, let first = word.baseAddress else { return true }
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

    private static func withBytes<Result>(
        of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        var text = text
        return text.withUTF8(body)
    }
}

/// The texts of a whole playlist as a filter compares them, one behind the other in memory. Where the entries have their own copies, most are
/// not in the processor's cache, and to fetch a hundred thousand of them takes much longer than to compare them.
struct SearchIndex: Sendable {
    private var bytes: [UInt8] = []
    /// The bytes of each entry; `nil` for an entry that bytes do not decide.
    private var ranges: [Range<Int>?] = []
    /// How many bytes belong to no entry any more.
    private var unusedCount = 0

    /// - Parameter entries: The playlist.
    init(_ entries: [PlaylistEntry]) {
        ranges.reserveCapacity(entries.count)
        // In place, without copies of the entries.
        entries.withUnsafeBufferPointer { entries in
            for place in entries.indices {
                let range = add(entries[place].searchText)
                ranges.append(range)
            }
        }
    }

    /// Takes over the texts of an entry that has changed.
    ///
    /// - Parameters:
    ///   - place: The place of the entry.
    ///   - text: Its texts.
    mutating func replace(at place: Int, by text: SearchText) {
        unusedCount += ranges[place]?.count ?? 0
        let range = add(text)
        ranges[place] = range
        if unusedCount > bytes.count / 2 { removeUnused() }
    }

    /// The places of the entries that contain all words, in order.
    ///
    /// - Parameters:
    ///   - words: The words.
    ///   - entries: The playlist, for the entries that bytes do not decide.
    func places(containing words: [SearchText.Word], in entries: [PlaylistEntry]) -> [Int] {
        let areExact = words.allSatisfy { $0.text.isExact }
        let patterns = words.map { Array($0.text.folded.utf8) }
        return bytes.withUnsafeBufferPointer { bytes in
            entries.withUnsafeBufferPointer { entries in
                entries.indices.filter { place in
                    guard areExact, let range = ranges[place] else { return entries[place].contains(words) }
                    let text = UnsafeBufferPointer(rebasing: bytes[range])
                    return patterns.allSatisfy { pattern in
                        pattern.withUnsafeBufferPointer { SearchText.find($0, in: text) }
                    }
                }
            }
        }
    }

    private mutating func add(_ text: SearchText) -> Range<Int>? {
        guard text.isExact else { return nil }
        let start = bytes.count
        bytes.append(contentsOf: text.folded.utf8)
        return start..<bytes.count
    }

    private mutating func removeUnused() {
        var used: [UInt8] = []
        used.reserveCapacity(bytes.count - unusedCount)
        for place in ranges.indices {
            guard let range = ranges[place] else { continue }
            ranges[place] = used.count..<used.count + range.count
            used.append(contentsOf: bytes[range])
        }
        bytes = used
        unusedCount = 0
    }
}
