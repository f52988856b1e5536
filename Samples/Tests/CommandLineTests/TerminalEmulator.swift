/// A minimal terminal emulator, which shows what a user would see.
struct TerminalEmulator {
    private(set) var isAlternateScreen = false
    private(set) var usedAlternateScreen = false
    private(set) var isCursorHidden = false
    private(set) var usedColor = false
    /// Whether the mouse is reported.
    private(set) var isMouseReported = false
    /// The title that the program has given the window; empty without one.
    private(set) var title = ""
    /// The pictures that are shown, in either protocol.
    private(set) var pictures = ShownPictures()
    private var grid: [[Character]]
    /// The style of each cell: the parameters of the last style sequence.
    private var styles: [[String]]
    private var style = "0"
    private var row = 0
    private var column = 0
    /// Where the cursor was before the alternate screen, to which it returns.
    private var saved = (row: 0, column: 0)
    private let width: Int
    private let height: Int

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        grid = Array(repeating: Array(repeating: " ", count: width), count: height)
        styles = Array(repeating: Array(repeating: "0", count: width), count: height)
    }

    /// The text in inverse style.
    var inverse: String { text(in: "0;7") }

    /// The text in bold style.
    var bold: String { text(in: "0;1") }

    /// The number of cells with a colour behind the text, as the pixels of a cover have it.
    var pixelCells: Int { styles.joined().count { $0.contains("48;") } }

    private func text(in style: String) -> String {
        zip(grid, styles).map { row, styles in
            String(zip(row, styles).compactMap { $1 == style ? $0 : nil })
        }.joined(separator: " ")
    }

    /// The rows without trailing spaces.
    var text: [String] {
        grid.map { row in
            var line = String(row)
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// Shows everything that a program has written so far.
    mutating func show(_ output: String) {
        var rest = output.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\u{1b}", rest.first == "[" {
                rest.removeFirst()
                let parameters = rest.prefix { !("@"..."~").contains($0) }
                rest = rest[parameters.endIndex...]
                guard let final = rest.popFirst() else { return }
                control(String(String.UnicodeScalarView(parameters)), Character(final))
            } else if scalar == "\u{1b}", rest.first == "]" {
                let command = rest.dropFirst().prefix { $0 != "\u{1b}" && $0 != "\u{7}" }
                rest = rest[command.endIndex...].dropFirst(rest[command.endIndex...].first == "\u{1b}" ? 2 : 1)
                if command.starts(with: "2;".unicodeScalars) {
                    title = String(String.UnicodeScalarView(command.dropFirst(2)))
                }
            } else if scalar == "\u{1b}", rest.first == "_" || rest.first == "P" {
                let introducer = rest.removeFirst()
                let command = rest.prefix { $0 != "\u{1b}" }
                rest = rest[command.endIndex...]
                guard rest.first != nil else { return }
                // Only a terminator makes it a command; any other sequence cancels it.
                if rest.dropFirst().first == "\\" { string(introducer, Substring(command)) }
            } else if scalar == "\u{1b}", rest.first == "\\" {
                rest.removeFirst()
            } else if scalar == "\r" {
                column = 0
            } else if scalar == "\n" {
                lineFeed()
            } else {
                put(Character(scalar))
            }
        }
    }

    private mutating func string(_ introducer: Unicode.Scalar, _ command: Substring) {
        if introducer == "P" {
            pictures.sixel(command, row: row, column: column)
        } else if command.hasPrefix("G") {
            pictures.kitty(command.dropFirst(), row: row, column: column)
        }
    }

    private mutating func lineFeed() {
        guard row == height - 1 else { return row += 1 }
        grid = grid.dropFirst() + [Array(repeating: " ", count: width)]
        styles = styles.dropFirst() + [Array(repeating: "0", count: width)]
    }

    private mutating func put(_ character: Character) {
        guard row < height, column < width else { return }
        grid[row][column] = character
        styles[row][column] = style
        pictures.erase(row: row, columns: column..<column + 1)
        column += 1
    }

    private mutating func control(_ parameters: String, _ final: Character) {
        switch (parameters, final) {
        case ("?1049", "h"):
            isAlternateScreen = true
            usedAlternateScreen = true
            saved = (row, column)
        case ("?1049", "l"):
            isAlternateScreen = false
            pictures.clear()
            (row, column) = saved
        case ("?1000", "h"): isMouseReported = true
        case ("?1000", "l"): isMouseReported = false
        case ("?25", "l"): isCursorHidden = true
        case ("?25", "h"): isCursorHidden = false
        case ("2", "J"):
            pictures.clear()
            grid = Array(repeating: Array(repeating: " ", count: width), count: height)
            styles = Array(repeating: Array(repeating: "0", count: width), count: height)
        case (_, "H"):
            let place = parameters.split(separator: ";").compactMap { Int($0) }
            row = (place.first ?? 1) - 1
            column = (place.count > 1 ? place[1] : 1) - 1
        case ("", "K"): erase(column..<width)
        case (_, "X"): erase(column..<min(width, column + (Int(parameters) ?? 1)))
        case (_, "C"): column += Int(parameters) ?? 1
        case (_, "m"):
            style = parameters
            if parameters.contains("38;") { usedColor = true }
        default: break
        }
    }

    private mutating func erase(_ columns: Range<Int>) {
        guard row < height, !columns.isEmpty else { return }
        pictures.erase(row: row, columns: columns)
        for place in columns {
            grid[row][place] = " "
            styles[row][place] = "0"
        }
    }
}
