internal import PlayerApp

/// The library in the place of the playlist.
extension PlayerView {
    func drawLibrary(_ library: LibraryState, on screen: inout Screen, rows: Range<Int>, _ span: Span) {
        guard let first = rows.first else { return }
        drawTitle(of: library, on: &screen, row: first, span)
        var room = rows.count - 1
        guard room > 0 else { return }
        if let message = library.message {
            let remedy = library.isEmpty && library.scan == nil ? "; \(keys.label(.addFolder)) adds a folder" : ""
            screen.put(
                DisplayWidth.printable(message + remedy), row: first + 1, column: span.left, style: .dim,
                limit: span.width)
            return
        }
        if let scan = library.scan, room > 1 {
            screen.put(
                DisplayWidth.printable(scan.text), row: first + room, column: span.left, style: .dim, limit: span.width)
            room -= 1
        }
        targets.add(first + 1..<first + 1 + room, 0..<screen.width, .list)
        let top = max(0, min(library.selectedIndex - room / 2, library.items.count - room))
        for (line, index) in (top..<min(top + room, library.items.count)).enumerated() {
            let item = library.items[index]
            let detail = DisplayWidth.printable(item.detail)
            let name = DisplayWidth.fit(
                "  " + DisplayWidth.printable(item.title),
                to: max(0, span.width - DisplayWidth.columns(of: detail) - 1))
            let row = first + 1 + line
            screen.put(
                name + " " + detail, row: row, column: span.left,
                style: index == library.selectedIndex ? .selected : .plain, limit: span.width)
            targets.add(row..<row + 1, span.left..<span.end, .intent(.choose(index)))
        }
    }

    /// Draws where one is: one of the outermost levels among the others, or the path to an inner one.
    private func drawTitle(of library: LibraryState, on screen: inout Screen, row: Int, _ span: Span) {
        guard library.path.count == 1 else {
            let title = DisplayWidth.printable(
                (["library"] + library.path.dropFirst(library.path[0] == .artists ? 1 : 0).map(Self.title)).joined(
                    separator: glyphs.separator))
            // The end of a long path says where one is.
            var shown = title[...]
            while DisplayWidth.columns(of: String(shown)) > span.width { shown.removeFirst() }
            screen.put(String(shown), row: row, column: span.left, style: .second, limit: span.width)
            return
        }
        var column = span.left
        var levels = LibraryState.outermost[...]
        // On a small screen the first levels make room for the shown one.
        while levels.first != library.path[0], Self.width(of: levels, to: library.path[0]) > span.width {
            levels.removeFirst()
        }
        for level in levels where column < span.end {
            let style: TextStyle = level == library.path[0] ? .second : .dim
            let end = screen.put(
                Self.title(level), row: row, column: column, style: style, limit: span.end - column)
            targets.add(row..<row + 1, column..<end, .intent(.browse(level)))
            column = end + 2
        }
    }

    /// The columns of the titles up to a level.
    private static func width(of levels: ArraySlice<LibraryState.Level>, to level: LibraryState.Level) -> Int {
        levels.prefix { $0 != level }.map { title($0).count + 2 }.reduce(title(level).count, +)
    }

    private static func title(_ level: LibraryState.Level) -> String {
        switch level {
        case .artists: "artists"
        case .genres: "genres"
        case .first(.mostPlayed): "most played"
        case .first(.newest): "newest"
        case .folders: "folders"
        case .genre(let genre): genre
        case .albums(let artist): artist.isEmpty ? "no artist" : artist
        case .tracks(_, let album): album.isEmpty ? "no album" : album
        case .found(let text): "\"\(text)\""
        }
    }
}
