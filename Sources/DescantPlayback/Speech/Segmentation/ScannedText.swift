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
