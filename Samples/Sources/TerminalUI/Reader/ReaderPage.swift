internal import PlayerApp

/// The visible part of a book. It does not move while the sentence is visible, and scrolls when the sentence leaves it.
@MainActor
final class ReaderPage {
    private var layout: ReaderLayout?
    private var top: ReaderLayout.Row?
    private var height = 0

    /// The rows in view.
    ///
    /// - Parameters:
    ///   - book: The book.
    ///   - sentence: The range that has to be visible.
    ///   - place: The place that has to be visible when the sentence is longer than the view.
    ///   - width: The columns of the view.
    ///   - height: Its rows.
    func rows(
        of book: Book, sentence: Range<Int>, place: Int, width: Int, height: Int
    ) -> [(text: Range<Int>?, paragraph: Int)] {
        guard height > 0 else { return [] }
        let layout = layout.flatMap { $0.width == width ? $0 : nil } ?? ReaderLayout(book, width: width)
        if self.layout !== layout || self.height != height { top = nil }
        self.layout = layout
        self.height = height
        let first = layout.row(at: sentence.lowerBound)
        let last = layout.row(at: max(sentence.lowerBound, sentence.upperBound - 1))
        let present = layout.row(at: place)
        var shown = top.map { layout.rows(from: $0, count: height) } ?? []
        let isLong = !layout.rows(from: first, count: height).contains(last)
        let isSeen = isLong ? shown.contains(present) : shown.contains(first) && shown.contains(last)
        if !isSeen {
            let length = (layout.rows(from: first, count: height).firstIndex(of: last) ?? height - 1) + 1
            let above = min(height / 4, isLong ? height / 4 : height - length)
            let start = layout.row(above, before: isLong ? present : first)
            top = start
            shown = layout.rows(from: start, count: height)
        }
        return shown.map { (layout.text(of: $0), $0.paragraph) }
    }
}
