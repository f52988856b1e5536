internal import PlayerApp

/// The library in the place of the playlist.
extension PlayerView {
    func drawLibrary(_ library: LibraryState, on screen: inout Screen, rows: Range<Int>, _ span: Span) {
        guard let first = rows.first else { return }
        let title = DisplayWidth.printable(Self.title(of: library.path, separator: glyphs.separator))
        // The end of a long path says where one is.
        var shown = title[...]
        while DisplayWidth.columns(of: String(shown)) > span.width { shown.removeFirst() }
        screen.put(String(shown), row: first, column: span.left, style: .second, limit: span.width)
        let room = rows.count - 1
        targets.add(rows, 0..<screen.width, .list)
        guard room > 0 else { return }
        if let message = library.message {
            screen.put(message, row: first + 1, column: span.left, style: .dim, limit: span.width)
            return
        }
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

    private static func title(of path: [LibraryState.Level], separator: String) -> String {
        path.map { level in
            switch level {
            case .artists: "library"
            case .albums(let artist): artist.isEmpty ? "no artist" : artist
            case .tracks(_, let album): album.isEmpty ? "no album" : album
            case .found(let text): "\"\(text)\""
            }
        }.joined(separator: separator)
    }
}
