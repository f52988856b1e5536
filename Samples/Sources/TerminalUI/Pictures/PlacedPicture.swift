internal import PlayerApp

/// A cover in cells of the screen.
struct PlacedPicture: Sendable, Equatable {
    let cover: CoverArt
    let rows: Range<Int>
    let columns: Range<Int>
    let cell: CellSize

    /// The size of the cells, in pixels.
    var width: Int { columns.count * cell.width }
    /// The size of the cells, in pixels.
    var height: Int { rows.count * cell.height }

    /// Moves to the first cell.
    private var start: String { "\u{1b}[\(rows.lowerBound + 1);\(columns.lowerBound + 1)H" }

    /// The sequences that show the picture, at any place of the cursor.
    ///
    /// - Parameter format: The protocol.
    func drawing(as format: PictureFormat) -> String {
        switch format {
        case .kitty: start + KittyPicture.encode(self)
        case .sixel(let colors): start + SixelPicture.encode(self, colors: colors)
        }
    }

    /// The sequences that remove the picture.
    ///
    /// - Parameter format: The protocol.
    func removal(as format: PictureFormat) -> String {
        switch format {
        case .kitty: KittyPicture.removal
        case .sixel:
            "\u{1b}[0m" + rows.map { "\u{1b}[\($0 + 1);\(columns.lowerBound + 1)H\u{1b}[\(columns.count)X" }.joined()
        }
    }
}

extension CoverArt {
    /// The number of columns and rows that the picture fills.
    ///
    /// - Parameters:
    ///   - rows: The maximum number of rows; a square picture fills all of them.
    ///   - cell: The size of a cell.
    func cells(rows: Int, cell: CellSize) -> (columns: Int, rows: Int) {
        let square = max(1, rounded(rows * cell.height, by: cell.width))
        let columns = min(square, max(1, square * width / height))
        return (columns, min(rows, max(1, rounded(columns * cell.width * height, by: width * cell.height))))
    }

    private func rounded(_ value: Int, by divisor: Int) -> Int { (value + divisor / 2) / divisor }

    /// The mean colour of a pixel of the picture in another size.
    ///
    /// - Parameters:
    ///   - column: The column, from 0.
    ///   - row: The row, from 0.
    ///   - width: Columns of pixels of the other size.
    ///   - height: Rows of pixels of the other size.
    func color(column: Int, row: Int, width: Int, height: Int) -> Color {
        color(columns: Self.share(column, of: width), rows: Self.share(row, of: height))
    }

    private static func share(_ index: Int, of count: Int) -> Range<Double> {
        Double(index) / Double(count)..<Double(index + 1) / Double(count)
    }

    /// The pixels of the picture in another size, row by row.
    ///
    /// - Parameters:
    ///   - width: Columns of pixels.
    ///   - height: Rows of pixels.
    func pixels(width: Int, height: Int) -> [Color] {
        (0..<height).flatMap { row in
            (0..<width).map { color(column: $0, row: row, width: width, height: height) }
        }
    }
}
