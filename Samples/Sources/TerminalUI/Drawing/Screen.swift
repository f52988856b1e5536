internal import PlayerApp

/// A terminal's screen in memory: cells with styles, drawn by views, sent by differences.
public struct Screen: Sendable, Equatable {
    struct Cell: Sendable, Equatable {
        /// `nil` in the columns behind the first one of a wide character.
        var character: Character?
        var style: TextStyle

        static let blank = Cell(character: " ", style: .plain)
    }

    /// Columns.
    public let width: Int
    /// Rows.
    public let height: Int
    /// The size of a cell, where the terminal shows pictures.
    let pictureCell: CellSize?
    private(set) var rows: [[Cell]]
    private(set) var picture: PlacedPicture?

    /// Creates an empty screen.
    ///
    /// - Parameters:
    ///   - width: Columns; at least 1 is used.
    ///   - height: Rows; at least 1 is used.
    public init(width: Int, height: Int) { self.init(width: width, height: height, pictureCell: nil) }

    init(width: Int, height: Int, pictureCell: CellSize?) {
        self.pictureCell = pictureCell
        self.width = max(1, width)
        self.height = max(1, height)
        rows = Array(repeating: Array(repeating: .blank, count: self.width), count: self.height)
    }

    /// Writes text, clipped by columns to the screen and to a limit.
    ///
    /// - Parameters:
    ///   - text: A text; control characters are shown as spaces.
    ///   - row: The row, from 0.
    ///   - column: The first column, from 0.
    ///   - style: How it is shown.
    ///   - limit: The maximum number of columns; `nil` up to the edge.
    /// - Returns: The column after the text.
    @discardableResult
    public mutating func put(
        _ text: String, row: Int, column: Int, style: TextStyle = .plain, limit: Int? = nil
    ) -> Int {
        guard rows.indices.contains(row), column < width else { return column }
        let room = min(width - column, limit ?? .max)
        var next = column
        for character in DisplayWidth.clip(DisplayWidth.printable(text), to: room) {
            let columns = DisplayWidth.columns(of: character)
            guard columns > 0, next >= 0, next + columns <= width else { continue }
            rows[row][next] = Cell(character: character, style: style)
            for place in next + 1..<next + columns { rows[row][place] = Cell(character: nil, style: style) }
            next += columns
        }
        return next
    }

    /// Shows a cover in empty cells, in place of one that was shown before.
    ///
    /// - Parameters:
    ///   - cover: The cover.
    ///   - rows: The rows that it fills.
    ///   - columns: The columns that it fills.
    mutating func show(_ cover: CoverArt, rows: Range<Int>, columns: Range<Int>) {
        guard let pictureCell, !rows.isEmpty, !columns.isEmpty, rows.lowerBound >= 0, rows.upperBound <= height,
            columns.lowerBound >= 0, columns.upperBound <= width
        else { return }
        picture = PlacedPicture(cover: cover, rows: rows, columns: columns, cell: pictureCell)
    }

    /// The text of every row without trailing spaces.
    public var text: [String] {
        rows.map { row in
            var line = String(row.compactMap(\.character))
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// The escape sequences that turn what a terminal shows into this screen.
    ///
    /// - Parameters:
    ///   - previous: What the terminal shows; `nil` when that is unknown, then everything is drawn.
    ///   - colors: The terminal's colours.
    ///   - theme: The colours of the styles.
    /// - Returns: Nothing when both are alike.
    public func update(from previous: Screen?, colors: ColorMode, theme: Theme = .standard) -> String {
        update(from: previous, colors: colors, theme: theme, pictures: nil)
    }

    /// - Parameter pictures: The protocol of pictures; `nil` where the terminal knows none.
    func update(
        from previous: Screen?, colors: ColorMode, theme: Theme = .standard, pictures: PictureFormat?
    ) -> String {
        let isSameSize = previous?.width == width && previous?.height == height
        let keepsPicture = isSameSize && previous?.picture == picture
        var output = ""
        if let pictures, !keepsPicture { output += removal(of: previous, as: pictures) }
        for (index, row) in rows.enumerated() {
            if isSameSize, previous?.rows[index] == row { continue }
            // Text would erase the picture.
            let kept = keepsPicture && picture?.rows.contains(index) == true ? picture?.columns : nil
            output += "\u{1b}[\(index + 1);1H" + Self.encode(row, colors: colors, theme: theme, skipping: kept)
        }
        if let pictures, !keepsPicture { output += picture?.drawing(as: pictures) ?? "" }
        guard !output.isEmpty else { return "" }
        let clear = isSameSize ? "" : "\u{1b}[0m\u{1b}[2J"
        // A terminal that knows these marks does not show an incomplete frame.
        return "\u{1b}[?2026h" + clear + output + "\u{1b}[0m\u{1b}[?2026l"
    }

    /// Removes the picture of another screen. Clearing the screen, which a terminal does for another size, does not remove pictures of
    /// kitty's protocol everywhere.
    private func removal(of previous: Screen?, as format: PictureFormat) -> String {
        guard let previous, previous.width == width, previous.height == height else {
            return format == .kitty ? KittyPicture.removal : ""
        }
        return previous.picture?.removal(as: format) ?? ""
    }

    private static func encode(
        _ row: [Cell], colors: ColorMode, theme: Theme, skipping skipped: Range<Int>?
    ) -> String {
        let end = max(row.lastIndex { $0 != .blank }.map { $0 + 1 } ?? 0, skipped?.upperBound ?? 0)
        var output = ""
        var style: TextStyle?
        for (column, cell) in row[..<end].enumerated() {
            if let skipped, skipped.contains(column) {
                if column == skipped.lowerBound { output += "\u{1b}[\(skipped.count)C" }
                continue
            }
            guard let character = cell.character else { continue }
            if cell.style != style {
                output += colors.sequence(for: cell.style, theme: theme)
                style = cell.style
            }
            output.append(character)
        }
        return output + (end < row.count ? "\u{1b}[0m\u{1b}[K" : "")
    }
}
