internal import PlayerApp

/// A book divided into lines of a width. Only visible paragraphs are laid out, so that long books open at once.
@MainActor
final class ReaderLayout {
    /// A place among the lines of the book: the line behind the last one of a paragraph is the empty one that follows it.
    struct Row: Equatable {
        var paragraph: Int
        var line: Int
    }

    let width: Int
    private let book: Book
    private let wrapper: TextWrapper
    private var lines: [Int: [Range<Int>]] = [:]
    private static let cacheLimit = 2_000

    init(_ book: Book, width: Int) {
        self.book = book
        self.width = width
        wrapper = TextWrapper(width: width)
    }

    /// The text of a row, as a place in the book; `nil` for an empty row.
    func text(of row: Row) -> Range<Int>? {
        let lines = lines(of: row.paragraph)
        return row.line < lines.count ? lines[row.line] : nil
    }

    /// The row that shows a place, or the last one in front of it.
    func row(at place: Int) -> Row {
        guard !book.paragraphs.isEmpty else { return Row(paragraph: 0, line: 0) }
        let paragraph = book.paragraph(at: place)
        let line = lines(of: paragraph).lastIndex { $0.lowerBound <= place } ?? 0
        return Row(paragraph: paragraph, line: line)
    }

    /// A number of rows from a row on; fewer at the end of the book.
    func rows(from first: Row, count: Int) -> [Row] {
        var rows: [Row] = []
        var row = first
        while rows.count < count, row.paragraph < book.paragraphs.count {
            rows.append(row)
            let isLast = row.line >= lines(of: row.paragraph).count
            row =
                isLast ? Row(paragraph: row.paragraph + 1, line: 0) : Row(paragraph: row.paragraph, line: row.line + 1)
        }
        return rows
    }

    /// The row a number of rows before another one; the first one of the book when there are fewer.
    func row(_ count: Int, before row: Row) -> Row {
        var row = row
        for _ in 0..<max(0, count) {
            if row.line > 0 {
                row.line -= 1
            } else if row.paragraph > 0 {
                row = Row(paragraph: row.paragraph - 1, line: lines(of: row.paragraph - 1).count)
            } else {
                break
            }
        }
        return row
    }

    private func lines(of paragraph: Int) -> [Range<Int>] {
        guard book.paragraphs.indices.contains(paragraph) else { return [] }
        if let known = lines[paragraph] { return known }
        if lines.count >= Self.cacheLimit { lines.removeAll(keepingCapacity: true) }
        let range = book.paragraphs[paragraph]
        let laid = wrapper.lines(of: book.string(range)).map {
            range.lowerBound + $0.lowerBound..<range.lowerBound + $0.upperBound
        }
        lines[paragraph] = laid
        return laid
    }
}
