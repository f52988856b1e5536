/// Divides sentences that are too long for one breath, where a speaker would draw it.
struct SentenceDivider {
    private let text: ScannedText
    /// The longest piece, in scalars.
    private let limit: Int
    /// The longest run without a space, ideographs excepted, in scalars.
    private let longestRun: Int

    /// Farther back than this no better place is looked for; a cluster of more marks is torn apart.
    private static let longestCluster = 32

    init(_ text: ScannedText, limit: Int, longestRun: Int) {
        self.text = text
        self.limit = max(1, limit)
        self.longestRun = max(1, min(longestRun, limit))
    }

    /// Calls a body with the pieces of a sentence, in order, without white space around them and each with something to
    /// speak.
    ///
    /// - Parameter body: Gets the piece, whether it is the first one, and the boundary behind it.
    func forEachPiece(
        of sentence: Range<Int>, boundary: TextSegment.Boundary,
        _ body: (Range<Int>, Bool, TextSegment.Boundary) -> Void
    ) {
        var pending: (range: Range<Int>, boundary: TextSegment.Boundary)?
        var isFirst = true
        var start = sentence.lowerBound
        while start < sentence.upperBound {
            start = text.skip(from: start, limit: sentence.upperBound, while: isBlank)
            guard start < sentence.upperBound else { break }
            let (end, divided) = pieceEnd(from: start, to: sentence.upperBound)
            let piece = trimmed(start..<end)
            if text.kinds[piece].contains(where: \.isSpeakable) {
                if let pending {
                    body(pending.range, isFirst, pending.boundary)
                    isFirst = false
                }
                pending = (piece, divided)
            } else if let last = pending {
                pending = (last.range, max(last.boundary, divided))
            }
            start = end
        }
        if let pending { body(pending.range, isFirst, boundary) }
    }

    private func isBlank(_ kind: ScalarKind) -> Bool { kind.isSpace || kind == .control }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var end = range.upperBound
        while end > range.lowerBound, isBlank(text.kinds[end - 1]) { end -= 1 }
        return range.lowerBound..<end
    }

    /// Where the piece that begins here ends, and what is there.
    private func pieceEnd(from start: Int, to end: Int) -> (Int, TextSegment.Boundary) {
        // The limit may be any number.
        let window = limit < end - start ? start + limit : end
        var best: (index: Int, weight: Int)?
        var run = 0
        var index = start
        while index < window {
            let kind = text.kinds[index]
            run = kind.isSpace || kind == .ideograph ? 0 : run + 1
            if run > longestRun {
                return (cluster(before: index, after: start), .run)
            }
            let weight = weight(at: index)
            // A later place is better, and one in the first third is not a place at all.
            if weight > 0, weight >= best?.weight ?? 0, 3 * (index - start) > limit { best = (index + 1, weight) }
            index += 1
        }
        if window == end { return (end, .clause) }
        if let best { return (best.index, .clause) }
        return (cluster(before: window, after: start), .run)
    }

    /// How good it is to draw breath behind this index; 0 where that is impossible.
    private func weight(at index: Int) -> Int {
        switch text.kinds[index] {
        case .semicolon: text.kind(index + 1).isSpace || !text.scalars[index].isASCII ? 3 : 0
        case .comma: text.kind(index + 1).isSpace || !text.scalars[index].isASCII ? 2 : 0
        case .space, .newline: 1
        default: 0
        }
    }

    /// The last index up to this one at which no character is torn apart.
    private func cluster(before index: Int, after start: Int) -> Int {
        var boundary = index
        while boundary > start + 1, index - boundary < Self.longestCluster, !text.isBoundary(boundary) { boundary -= 1 }
        return text.isBoundary(boundary) ? boundary : index
    }
}
